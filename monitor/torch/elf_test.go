//go:build linux

package torch

import (
	"encoding/binary"
	"os"
	"testing"
)

// bytesMemory is a process of one mapping.
type bytesMemory struct {
	base  uint64
	bytes []byte
}

func (m bytesMemory) Read(spans []Span) error {
	for _, s := range spans {
		at := s.Addr - m.base
		if s.Addr < m.base || at > uint64(len(m.bytes)) || uint64(len(m.bytes))-at < uint64(len(s.Into)) {
			return errShort
		}
		copy(s.Into, m.bytes[at:])
	}
	return nil
}

func (bytesMemory) Close() error { return nil }

// libraryBytes is a stand-in library laid out as the loader would, before
// relocation.
func libraryBytes(t testing.TB) []byte {
	file, err := os.ReadFile(library(t))
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 0)
	count := int(binary.LittleEndian.Uint16(file[56:]))
	for i := range count {
		h := file[64+i*segmentBytes:]
		if binary.LittleEndian.Uint32(h) != segmentLoad {
			continue
		}
		from := binary.LittleEndian.Uint64(h[8:])
		addr := binary.LittleEndian.Uint64(h[16:])
		size := binary.LittleEndian.Uint64(h[32:])
		total := binary.LittleEndian.Uint64(h[40:])
		if need := int(addr + total); need > len(memory) {
			memory = append(memory, make([]byte, need-len(memory))...)
		}
		copy(memory[addr:], file[from:from+size])
	}
	return memory
}

func TestTheSymbolIsFoundWhetherOrNotTheLoaderRelocated(t *testing.T) {
	b := libraryBytes(t)
	const base = 0x7f0000000000
	v := view{mem: bytesMemory{base, b}}
	im, err := readImage(&v, base)
	if err != nil {
		t.Fatal(err)
	}
	sym, ok, err := im.lookup(&v, symbols[0])
	at := sym.at
	if err != nil || !ok || at <= base || at >= im.end {
		t.Fatalf("%#x %v %v", at, ok, err)
	}
	inside := false
	for _, w := range im.writable {
		inside = inside || at >= w.lo && at+8 <= w.lo+w.n
	}
	if !inside {
		t.Errorf("the symbol %#x lies in no writable segment", at)
	}
	for _, other := range []string{symbols[1], symbols[0][:len(symbols[0])-1], symbols[0] + "x", "", "standin_run2"} {
		if _, ok, err := im.lookup(&v, other); ok || err != nil {
			t.Errorf("%q: found %v, %v", other, ok, err)
		}
	}
}

func FuzzImage(f *testing.F) {
	b := libraryBytes(f)
	f.Add(b[:min(len(b), 1<<16)], 0, uint64(0))
	f.Add(b, 32, uint64(1<<63))
	f.Add(b, 64, uint64(0xffffffff))
	f.Add([]byte("\x7fELF\x02\x01\x01"), 0, uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, at int, change uint64) {
		b = append([]byte(nil), b...)
		if at >= 0 && at <= len(b)-8 {
			binary.LittleEndian.PutUint64(b[at:], change)
		}
		const base = 0x7f0000000000
		v := view{mem: bytesMemory{base, b}}
		im, err := readImage(&v, base)
		if err != nil {
			return
		}
		for _, s := range symbols {
			sym, _, _ := im.lookup(&v, s)
			_, _ = im.bound(&v, sym.number)
		}
		_, _ = className(&v, base)
		_ = knownEmpty(&v, base)
		e := explorer{view: v, scanLimit: 1 << 20, isThread: func(int32) bool { return true }}
		e.space.maps = []mapping{{lo: base, hi: base + uint64(len(b))&^7 + 8, readable: true, writable: true, role: roleC10}}
		if out := e.explore(); out.place != nil && len(out.place.elements) == 0 {
			t.Error("a place without devices")
		}
	})
}
