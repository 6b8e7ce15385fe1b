package history

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// blockSamples is how many samples one block holds at most: what going back to
// the last of them costs in decoding.
const blockSamples = 64

// wholes keeps the newest samples as they were. Rows whose words did not
// change are shared; their numbers are kept as differences from the sample
// before (block). Samples that carry log lines keep them too.
type wholes struct {
	limit      int
	limitBytes int64
	bytes      int64
	count      int
	blocks     []*block
	scratch    cast   // the sample being added, its numbers taken out
	last       *block // the open block, nil when a new one must begin
}

func newWholes(limit int, limitBytes int64) wholes {
	return wholes{limit: limit, limitBytes: limitBytes}
}

// block is a run of samples of the same cast.
type block struct {
	roster roster
	timeNS []int64
	code   []byte
	ends   []int // end of each sample in code
	extras []extra
	state  packer // numbers of the newest sample
	bytes  int64
	where  *time.Location
}

// extra is what a sample carried besides its rows.
type extra struct {
	place    int // in the block
	lines    []monitor.LogLine
	readings []monitor.LogReading
	marks    []monitor.Mark
}

const (
	blockBytes   = 512
	readingBytes = 640
)

func (e *extra) bytes() int64 {
	n := int64(len(e.readings)) * readingBytes
	for i := range e.lines {
		n += int64(len(e.lines[i].Text)) + 96
	}
	for i := range e.marks {
		n += int64(len(e.marks[i].Text)) + 40
	}
	return n
}

func (w *wholes) push(s *monitor.Sample) {
	pack := packer{}
	if w.last != nil {
		pack = w.last.state
	}
	pack.begin()
	w.scratch.take(s, &pack)
	if w.last == nil || len(w.last.timeNS) >= blockSamples || !w.last.roster.same(&w.scratch) {
		w.open(s)
		pack.restart()
	}
	b := w.last
	had := int64(cap(b.code))
	b.code = pack.encode(b.code)
	b.state = pack
	b.timeNS = append(b.timeNS, s.Time.UnixNano())
	b.ends = append(b.ends, len(b.code))
	added := int64(cap(b.code)) - had + 16
	if len(s.Lines)+len(s.Readings)+len(s.Marks) > 0 {
		e := extra{len(b.timeNS) - 1, s.Lines, s.Readings, s.Marks}
		b.extras = append(b.extras, e)
		added += e.bytes()
	}
	b.bytes += added
	w.bytes += added
	w.count++
	w.shrink()
}

// open begins a block, sharing with the one before whatever row is the same.
func (w *wholes) open(s *monitor.Sample) {
	b := &block{where: s.Time.Location()}
	var fresh int64
	var before *roster
	if w.last != nil {
		before = &w.last.roster
		w.close(w.last)
	}
	b.roster, fresh = w.scratch.roster(before)
	b.bytes = blockBytes + fresh
	w.bytes += b.bytes
	w.blocks = append(w.blocks, b)
	w.last = b
}

// close gives back the memory that a block needed only to grow.
func (w *wholes) close(b *block) {
	had := cap(b.code)
	b.state, b.code = packer{}, append([]byte(nil), b.code...)
	w.bytes -= int64(had - cap(b.code))
	b.bytes -= int64(had - cap(b.code))
}

// shrink drops the oldest blocks while there is too much.
func (w *wholes) shrink() {
	for len(w.blocks) > 1 {
		oldest := w.blocks[0]
		if w.bytes <= w.limitBytes && w.count-len(oldest.timeNS) < w.limit {
			return
		}
		w.bytes -= oldest.bytes
		w.count -= len(oldest.timeNS)
		w.blocks[0] = nil
		w.blocks = w.blocks[1:]
	}
}

// truncate drops the samples from that time on.
func (w *wholes) truncate(atNS int64) {
	for i := len(w.blocks) - 1; i >= 0; i-- {
		b := w.blocks[i]
		n := len(b.timeNS)
		for n > 0 && b.timeNS[n-1] >= atNS {
			n--
		}
		w.count -= len(b.timeNS) - n
		if n > 0 {
			b.cut(n)
			break
		}
		w.bytes -= b.bytes
		w.blocks = w.blocks[:i]
	}
	w.last = nil
}

func (b *block) cut(n int) {
	b.timeNS, b.ends = b.timeNS[:n], b.ends[:n]
	b.code = b.code[:b.ends[n-1]]
	for len(b.extras) > 0 && b.extras[len(b.extras)-1].place >= n {
		b.extras = b.extras[:len(b.extras)-1]
	}
}

func (w *wholes) at(t time.Time) (monitor.Sample, bool) {
	ns := t.UnixNano()
	for i := len(w.blocks) - 1; i >= 0; i-- {
		b := w.blocks[i]
		if b.timeNS[0] > ns {
			continue
		}
		n := len(b.timeNS) - 1
		for b.timeNS[n] > ns {
			n--
		}
		return b.sample(n), true
	}
	return monitor.Sample{}, false
}

// sample decodes the n-th sample of a block.
func (b *block) sample(n int) monitor.Sample {
	var pack packer
	code := b.code
	for i := 0; i <= n; i++ {
		// Only the last is wanted, but each is a difference from the one before.
		code = pack.decode(code)
	}
	return b.restored(pack, n)
}

// restored builds the n-th sample from its numbers.
func (b *block) restored(pack packer, n int) monitor.Sample {
	pack.where = b.where
	s := b.roster.restore(&pack)
	s.Time = time.Unix(0, b.timeNS[n]).In(b.where)
	for _, e := range b.extras {
		if e.place == n {
			s.Lines, s.Readings, s.Marks = e.lines, e.readings, e.marks
		}
	}
	return s
}

func (w *wholes) span() (from, to time.Time, ok bool) {
	if len(w.blocks) == 0 {
		return time.Time{}, time.Time{}, false
	}
	first, last := w.blocks[0], w.blocks[len(w.blocks)-1]
	return time.Unix(0, first.timeNS[0]).In(first.where), time.Unix(0, last.timeNS[len(last.timeNS)-1]).In(last.where), true
}
