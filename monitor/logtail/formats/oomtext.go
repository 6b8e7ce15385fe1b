package formats

import (
	"bytes"
	"strconv"

	"github.com/vramscope/vramscope/monitor"
)

// clause is one figure of an out-of-memory text without white space: what
// stands before the size, what behind it. The texts are built in
// c10/cuda/CUDACachingAllocator.cpp; "capac" is where 2.1 misspelt "capacity".
type clause struct {
	before, after string
	take          func(*monitor.LogOOMFigures) *monitor.Reading[int64]
}

var oomClauses = []clause{
	{"Triedtoallocate", "", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.RequestedBytes }},
	{"", "totalcapacity", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.TotalBytes }},
	{"tyof", "", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.TotalBytes }},
	{"", "alreadyallocated", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.AllocatedBytes }},
	{"", "isallocatedbyPyTorch", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.AllocatedBytes }},
	{"ofwhich", "isfree", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.FreeBytes }},
	{";", "free", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.FreeBytes }},
	{";", "cached", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.CachedBytes }},
	{";", "reservedintotalbyPyTorch", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.ReservedBytes }},
	{"thisprocesshas", "memoryinuse", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.ProcessBytes }},
	{"", "allowed;", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.AllowedBytes }},
	{"with", "allocatedinprivatepools", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.PrivatePoolBytes }},
	{"", "isreservedbyPyTorchbutunallocated", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.UnallocatedBytes }},
}

// asyncClauses are those of the cudaMallocAsync backend
// (c10/cuda/CUDAMallocAsyncAllocator.cpp).
var asyncClauses = []clause{
	{"Currentlyallocated:", "", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.AllocatedBytes }},
	{"Requested:", "", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.RequestedBytes }},
	{"Devicelimit:", "", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.TotalBytes }},
	{"Free(accordingtoCUDA):", "", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.FreeBytes }},
	{"memoryfraction):", "", func(f *monitor.LogOOMFigures) *monitor.Reading[int64] { return &f.AllowedBytes }},
}

// read takes everything out of the text so far.
func (t *oomText) read() {
	clauses := oomClauses
	if t.async {
		clauses = asyncClauses
	}
	f := &t.figures
	f.Others = nil
	t.found = 0
	for i := 0; i < len(t.compact); {
		if !isDigit(t.compact[i]) {
			i++
			continue
		}
		n, fits, width := sizeAt(t.compact[i:])
		if width == 0 {
			i += digitRun(t.compact[i:])
			continue
		}
		t.clauseAt(clauses, i, n, fits, width)
		i += width
	}
	t.readGPU()
	t.finish()
}

// clauseAt types the size at i by its neighbours.
func (t *oomText) clauseAt(clauses []clause, i int, n int64, fits bool, width int) {
	head, rest := t.compact[:i], t.compact[i+width:]
	if pid, ok := processBefore(head); ok && bytes.HasPrefix(rest, []byte("memoryinuse")) {
		t.found++
		if len(t.figures.Others) < 64 {
			t.figures.Others = append(t.figures.Others, monitor.LogOOMProcess{PID: pid, UsedBytes: n})
		}
		return
	}
	for _, c := range clauses {
		if bytes.HasSuffix(head, []byte(c.before)) && bytes.HasPrefix(rest, []byte(c.after)) {
			t.found++
			if fits {
				*c.take(&t.figures) = monitor.Known(n)
			}
			return
		}
	}
}

// processBefore reads "Process20398has" at the end of head.
func processBefore(head []byte) (int, bool) {
	if !bytes.HasSuffix(head, []byte("has")) {
		return 0, false
	}
	head = head[:len(head)-3]
	i := len(head)
	for i > 0 && isDigit(head[i-1]) {
		i--
	}
	if i == len(head) || !bytes.HasSuffix(head[:i], []byte("Process")) {
		return 0, false
	}
	pid, err := strconv.Atoi(string(head[i:]))
	return pid, err == nil
}

func digitRun(b []byte) int {
	i := 0
	for i < len(b) && (isDigit(b[i]) || b[i] == '.') {
		i++
	}
	return i
}

// sizeAt reads "12.50MiB" or "0bytes" at the start of b. fits is false for a
// size that no device can have, as the "no limit" of cudaMallocAsync. A width
// of 0 means that there is no size.
func sizeAt(b []byte) (n int64, fits bool, width int) {
	i := digitRun(b)
	if i == 0 {
		return 0, false, 0
	}
	for _, u := range [...]struct {
		text  string
		scale float64
	}{{"bytes", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}} {
		if !bytes.HasPrefix(b[i:], []byte(u.text)) {
			continue
		}
		v, err := strconv.ParseFloat(string(b[:i]), 64)
		if err != nil {
			return 0, false, 0
		}
		v *= u.scale
		if v > maxBytes*16 {
			return 0, false, i + len(u.text)
		}
		return roundBytes(v), true, i + len(u.text)
	}
	return 0, false, 0
}

// readGPU reads "(GPU0;", "GPU0has" or "device0would", which stand in front of
// the figures.
func (t *oomText) readGPU() {
	for _, w := range [...]string{"(GPU", ".GPU", "Allocationondevice"} {
		i := bytes.Index(t.compact, []byte(w))
		if i < 0 {
			continue
		}
		d := t.compact[i+len(w):]
		j := 0
		for j < len(d) && isDigit(d[j]) {
			j++
		}
		if n, ok := small(string(d[:j]), maxDevice); ok && j < len(d) && bytes.IndexByte([]byte(";hw"), d[j]) >= 0 {
			t.gpu = monitor.Known(n)
			t.found++
			return
		}
	}
}

// finish completes the figures that follow from others and decides whether the
// text is at its end.
func (t *oomText) finish() {
	f := &t.figures
	if a, ok := f.AllocatedBytes.Get(); ok {
		if c, cached := f.CachedBytes.Get(); cached {
			f.ReservedBytes = monitor.Known(a + c) // 1.0 to 1.3: cached excludes allocated
		}
		if u, unallocated := f.UnallocatedBytes.Get(); unallocated {
			f.ReservedBytes = monitor.Known(a + u)
		}
	}
	switch {
	case t.async:
		t.done = bytes.Contains(t.compact, []byte("memoryfraction):")) && t.found >= 4
	case bytes.Contains(t.compact, []byte("morethan1EBmemory")):
		t.done = true
	default:
		t.done = f.CachedBytes.Known() || f.ReservedBytes.Known()
	}
}
