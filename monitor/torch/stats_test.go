package torch

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// model is DeviceStats as an allocator keeps it, for the properties of the
// validator.
type model struct {
	b    []byte
	tail *tail
	rng  *rand.Rand
	live []modelBlock
	held [3]int64 // reserved bytes by pool
}

type modelBlock struct {
	pool             int
	bytes, requested int64
}

func newModel(t *tail, seed uint64) *model {
	m := &model{b: make([]byte, maxTailBytes), tail: t, rng: rand.New(rand.NewPCG(seed, 1))}
	if t.maxSplit != 0 {
		binary.LittleEndian.PutUint64(m.b[t.maxSplit:], math.MaxUint64)
	}
	if t.poolMap != 0 {
		binary.LittleEndian.PutUint64(m.b[t.poolMap:], 0x7f0000001000)
		binary.LittleEndian.PutUint32(m.b[t.poolMap+20:], math.Float32bits(0.5))
	}
	return m
}

func (m *model) add(at int, v int64) {
	binary.LittleEndian.PutUint64(m.b[at:], uint64(word(m.b, at)+v))
}

// change moves an array's whole and one pool by v.
func (m *model) change(array, pool int, v int64) {
	for _, at := range [...]int{array, array + pool*statBytes} {
		m.add(at+current, v)
		if v > 0 {
			m.add(at+allocated, v)
		} else {
			m.add(at+freed, -v)
		}
		if cur := word(m.b, at+current); cur > word(m.b, at+peak) {
			m.add(at+peak, cur-word(m.b, at+peak))
		}
	}
}

// step does one thing that an allocator does.
func (m *model) step() {
	pool := 1 + m.rng.IntN(2)
	free := m.held[pool]
	for _, b := range m.live {
		if b.pool == pool {
			free -= b.bytes
		}
	}
	switch k := m.rng.IntN(8); {
	case k == 0 || free < 512:
		v := int64(1+m.rng.IntN(20)) * 2 * mebibyte
		if m.rng.IntN(2) == 0 {
			m.change(atSegment, pool, 1)
		}
		m.change(atReservedBytes, pool, v)
		m.held[pool] += v
	case k < 5:
		bytes := 512 * (1 + m.rng.Int64N(free/512))
		b := modelBlock{pool, bytes, 1 + m.rng.Int64N(bytes)}
		m.live = append(m.live, b)
		m.block(b, 1)
	case k == 5 && m.rng.IntN(20) == 0:
		m.reset()
	case len(m.live) > 0:
		i := m.rng.IntN(len(m.live))
		m.block(m.live[i], -1)
		m.live = append(m.live[:i], m.live[i+1:]...)
	}
}

func (m *model) block(b modelBlock, sign int64) {
	m.change(atAllocation, b.pool, sign)
	m.change(atActive, b.pool, sign)
	m.change(atAllocatedBytes, b.pool, sign*b.bytes)
	m.change(m.tail.activeBytes, b.pool, sign*b.bytes)
	if m.tail.requestedBytes != 0 {
		m.change(m.tail.requestedBytes, b.pool, sign*b.requested)
	}
}

// reset is reset_accumulated_memory_stats and reset_peak_memory_stats.
func (m *model) reset() {
	arrays := []int{atAllocation, atSegment, atActive, atInactiveSplit, atAllocatedBytes, atReservedBytes, m.tail.activeBytes}
	if m.tail.requestedBytes != 0 {
		arrays = append(arrays, m.tail.requestedBytes)
	}
	for _, array := range arrays {
		for at := array; at < array+arrayBytes; at += statBytes {
			m.add(at+peak, word(m.b, at+current)-word(m.b, at+peak))
			m.add(at+allocated, -word(m.b, at+allocated))
			m.add(at+freed, -word(m.b, at+freed))
		}
	}
}

func TestEveryStateThatAnAllocatorCanReachIsAccepted(t *testing.T) {
	for i := range tails {
		for seed := range uint64(20) {
			m := newModel(&tails[i], seed)
			for range 400 {
				m.step()
				if r := checkCore(m.b); r != "" {
					t.Fatalf("%s, seed %d: core refused: %s", tails[i].name, seed, r)
				}
				if r := checkTail(m.b, m.tail); r != "" {
					t.Fatalf("%s, seed %d: tail refused: %s", tails[i].name, seed, r)
				}
			}
		}
	}
}

func TestATailInUseIsToldFromAllOthersOfItsKind(t *testing.T) {
	for i := range tails {
		for seed := range uint64(20) {
			m := newModel(&tails[i], seed)
			for range 200 {
				m.step()
			}
			got := tailsFor(tails[i].exported).matching(m.b)
			if got&(1<<i) == 0 {
				t.Errorf("%s, seed %d: not recognised", tails[i].name, seed)
			}
			if tails[i].exported && got != 1<<i {
				t.Errorf("%s, seed %d: taken for %s", tails[i].name, seed, got.name())
			}
		}
	}
}

func TestAnExportedSymbolRulesOutTheOldTails(t *testing.T) {
	for i := range tails {
		if has := tailsFor(true)&(1<<i) != 0; has != tails[i].exported {
			t.Errorf("%s: in the set %v", tails[i].name, has)
		}
	}
	if tailsFor(false) != 1<<len(tails)-1 {
		t.Error("without the symbol every tail is possible")
	}
}

func TestTailsThatPlaceTheFiguresAlikeNeedNotBeToldApart(t *testing.T) {
	alike := tailSet(1<<1 | 1<<3) // C and E
	if got := alike.tail(); got == nil || got.retries != 864 {
		t.Errorf("%v", got)
	}
	if got := tailSet(1<<3 | 1<<5).tail(); got != nil {
		t.Errorf("E or F: %v", got)
	}
	if got := tailSet(0).tail(); got != nil {
		t.Errorf("no tail: %v", got)
	}
}

func TestAnUnknownTailStillGivesTheByteArrays(t *testing.T) {
	for i := range tails {
		m := newModel(&tails[i], 7)
		for range 200 {
			m.step()
		}
		binary.LittleEndian.PutUint64(m.b[tails[i].maxSplit:], 12345) // no sentinel
		if got := tailsFor(tails[i].exported).matching(m.b); got != 0 {
			t.Errorf("%s without its sentinel is taken for %s", tails[i].name, got.name())
		}
		got := middleOf(m.b, tails[i].exported)
		if got == nil || got.activeBytes != tails[i].activeBytes || got.requestedBytes != tails[i].requestedBytes {
			t.Errorf("%s: middle %v", tails[i].name, got)
		}
	}
}

// Every single word that matters, changed by little or much, must be noticed
// or leave what is published right.
func TestAFigureThatIsOffIsNoticed(t *testing.T) {
	for i := range tails {
		m := newModel(&tails[i], 3)
		for range 300 {
			m.step()
		}
		for _, array := range []int{atAllocation, atActive, atAllocatedBytes, atReservedBytes} {
			for pool := range 3 {
				for _, off := range []int64{-1 << 62, -512, -1, 1, 512, 2 * mebibyte, 1 << 61} {
					at := array + pool*statBytes + current
					m.add(at, off)
					if checkCore(m.b) == "" {
						t.Errorf("%s: word %d off by %d passes", tails[i].name, at, off)
					}
					m.add(at, -off)
				}
			}
		}
	}
}

func TestEachRuleRefusesWhatBreaksItAlone(t *testing.T) {
	e := &tails[3]
	put := func(m *model, at int, v int64) { m.add(at, v-word(m.b, at)) }
	cases := []struct {
		want  rule
		spoil func(m *model)
	}{
		{ruleRounding, func(m *model) { m.change(atAllocatedBytes, 1, 100) }},
		{ruleBlocks, func(m *model) { m.change(atAllocation, 2, 1); m.change(atActive, 2, 1) }},
		{ruleReserved, func(m *model) { m.change(atAllocatedBytes, 1, 64*mebibyte) }},
		{ruleSegments, func(m *model) { m.change(atSegment, 2, 1) }},
		{ruleActive, func(m *model) { m.change(atActive, 1, -1) }},
		{rulePeak, func(m *model) { put(m, atReservedBytes+statBytes+peak, 1) }},
		{rulePeakSum, func(m *model) { m.add(atReservedBytes+peak, 2*mebibyte) }},
		{ruleHistory, func(m *model) { m.add(atReservedBytes+allocated, 5); m.add(atReservedBytes+statBytes+allocated, 5) }},
		{ruleSign, func(m *model) { m.change(atSegment, 2, -1) }},
		{ruleSum, func(m *model) { m.add(atInactiveSplit, 1) }},
		{ruleRange, func(m *model) { m.add(atInactiveSplit, 1<<61) }},
		{ruleActiveBytes, func(m *model) { m.change(e.activeBytes, 1, 64*mebibyte) }},
		{ruleRequested, func(m *model) { m.change(e.requestedBytes, 1, 64*mebibyte) }},
		{ruleSplit, func(m *model) { m.change(e.splitBytes, 1, 64*mebibyte) }},
		{ruleCounter, func(m *model) { put(m, e.ooms, -1) }},
		{ruleSentinel, func(m *model) { put(m, e.maxSplit, 1000) }},
		{ruleSentinel, func(m *model) { put(m, e.maxSplit, 20*mebibyte) }},
		{"", func(m *model) { put(m, e.maxSplit, 21*mebibyte) }},
		{"", func(m *model) { m.change(e.splitBytes, 1, mebibyte) }},
	}
	for _, c := range cases {
		m := newModel(e, 0)
		m.change(atReservedBytes, 1, 20*mebibyte)
		m.change(atSegment, 1, 1)
		m.block(modelBlock{1, 2 * mebibyte, 1000}, 1)
		c.spoil(m)
		got := checkCore(m.b)
		if got == "" {
			got = checkTail(m.b, e)
		}
		if got != c.want {
			t.Errorf("refused by %q, want %q", got, c.want)
		}
	}
	if checkCore(make([]byte, coreBytes-1)) != ruleLength {
		t.Error("statistics cut short are accepted")
	}
}

func TestRandomBytesAreNoStatistics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, maxTailBytes)
	for range 20000 {
		for at := 0; at < len(b); at += 8 {
			v := rng.Uint64()
			switch rng.IntN(4) {
			case 0:
				v >>= 40
			case 1:
				v = v >> 16 &^ 7
			case 2:
				v = 0
			}
			binary.LittleEndian.PutUint64(b[at:], v)
		}
		if checkCore(b) == "" {
			t.Fatalf("random bytes pass: %x", b)
		}
	}
}

func FuzzTheValidatorNeverPanicsAndNeverPassesAContradiction(f *testing.F) {
	f.Add(make([]byte, maxTailBytes))
	m := newModel(&tails[3], 1)
	for range 100 {
		m.step()
	}
	f.Add(m.b)
	f.Add([]byte{})
	f.Add(make([]byte, coreBytes))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= mutexBytes {
			_ = readLock(b).plausible()
		}
		if checkCore(b) != "" {
			return
		}
		for _, exported := range []bool{true, false} {
			set := tailsFor(exported).matching(b)
			use := set.tail()
			if use == nil {
				use = middleOf(b, exported)
			}
			if use == nil {
				use = &coreOnly
			}
			got := readFigures(b, use)
			if got.allocatedBytes < 0 || got.allocatedBytes > got.reservedBytes || got.peakAllocatedBytes < got.allocatedBytes ||
				got.peakReservedBytes < got.reservedBytes {
				t.Errorf("contradiction passed: %+v", got)
			}
			if use.activeBytes != 0 && (got.activeBytes < got.allocatedBytes || got.activeBytes > got.reservedBytes) {
				t.Errorf("active bytes out of place: %+v", got)
			}
			if use.requestedBytes != 0 && (got.requestedBytes < 0 || got.requestedBytes > got.activeBytes) {
				t.Errorf("requested bytes out of place: %+v", got)
			}
		}
	})
}
