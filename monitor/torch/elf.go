package torch

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// image is a library or program as the loader has laid it out in the memory of
// a process. It is read from there and not from its file, which may be
// deleted, replaced or out of sight.
type image struct {
	base, end uint64
	bias      uint64 // what the loader added to the addresses in the file
	writable  []extent
	symbols   uint64 // DT_SYMTAB
	names     uint64 // DT_STRTAB
	nameBytes uint64 // DT_STRSZ
	hash      uint64 // DT_GNU_HASH
	relocated extent // its relocations with addends, without those at the start that name no symbol
}

type extent struct{ lo, n uint64 }

var errNotELF = errors.New("not an ELF image")

// otherArch is the error for a program of another processor.
type otherArch struct{ machine uint16 }

func (e otherArch) Error() string {
	switch e.machine {
	case 183:
		return "built for 64-bit Arm"
	case 3:
		return "built for 32-bit x86"
	case 21:
		return "built for 64-bit POWER"
	case 243:
		return "built for RISC-V"
	}
	return fmt.Sprintf("built for the processor with ELF number %d", e.machine)
}

// The numbers of the ELF-64 object file format and the System V ABI.
const (
	headerBytes    = 64
	segmentBytes   = 56
	symbolBytes    = 24
	maxSegments    = 64
	maxDynamic     = 512
	maxSegmentSize = 1 << 32
	machineX86     = 62

	segmentLoad    = 1
	segmentDynamic = 2
	segmentWrite   = 2

	tagStrings  = 5
	tagSymbols  = 6
	tagRela     = 7
	tagRelaSize = 8
	tagNameSize = 10
	tagGNUHash  = 0x6ffffef5
	tagNameless = 0x6ffffff9
)

// readImage reads the headers of the image whose file offset 0 is mapped at
// base.
func readImage(v *view, base uint64) (image, error) {
	var head [headerBytes]byte
	if err := v.read(base, head[:]); err != nil {
		return image{}, err
	}
	if string(head[:4]) != "\x7fELF" {
		return image{}, errNotELF
	}
	machine := binary.LittleEndian.Uint16(head[18:])
	if head[4] != 2 || head[5] != 1 || machine != machineX86 {
		if head[5] == 2 {
			machine = binary.BigEndian.Uint16(head[18:])
		}
		return image{}, otherArch{machine}
	}
	offset := binary.LittleEndian.Uint64(head[32:])
	size := binary.LittleEndian.Uint16(head[54:])
	count := binary.LittleEndian.Uint16(head[56:])
	if size != segmentBytes || count == 0 || count > maxSegments || offset > 1<<20 {
		return image{}, errNotELF
	}
	table := make([]byte, int(count)*segmentBytes)
	if err := v.read(base+offset, table); err != nil {
		return image{}, err
	}
	im := image{base: base, end: base}
	dynamic, err := im.layOut(table)
	if err != nil {
		return image{}, err
	}
	if dynamic.n > 0 {
		if err := im.readDynamic(v, dynamic); err != nil {
			return image{}, err
		}
	}
	return im, nil
}

// layOut reads the program headers and returns where the dynamic section is.
func (im *image) layOut(table []byte) (extent, error) {
	var dynamic extent
	first := true
	for ; len(table) >= segmentBytes; table = table[segmentBytes:] {
		kind := binary.LittleEndian.Uint32(table)
		flags := binary.LittleEndian.Uint32(table[4:])
		addr := binary.LittleEndian.Uint64(table[16:])
		size := binary.LittleEndian.Uint64(table[40:])
		if size > maxSegmentSize {
			return dynamic, errNotELF
		}
		switch kind {
		case segmentLoad:
			if first {
				im.bias = im.base - addr&^(pageSize-1)
				first = false
			}
			lo := im.bias + addr
			if lo < im.base || lo+size < lo {
				return dynamic, errNotELF
			}
			im.end = max(im.end, lo+size)
			if flags&segmentWrite != 0 {
				im.writable = append(im.writable, extent{lo, size})
			}
		case segmentDynamic:
			dynamic = extent{addr, size}
		}
	}
	if first {
		return dynamic, errNotELF
	}
	dynamic.lo += im.bias
	return dynamic, nil
}

func (im *image) readDynamic(v *view, at extent) error {
	table := make([]byte, min(at.n, maxDynamic*16)&^15)
	if err := v.read(at.lo, table); err != nil {
		return err
	}
	nameless := uint64(0)
	for ; len(table) >= 16; table = table[16:] {
		tag := binary.LittleEndian.Uint64(table)
		value := binary.LittleEndian.Uint64(table[8:])
		switch tag {
		case 0:
			im.relocated.skip(nameless)
			return nil
		case tagStrings:
			im.names = im.loaded(value)
		case tagSymbols:
			im.symbols = im.loaded(value)
		case tagNameSize:
			im.nameBytes = value
		case tagGNUHash:
			im.hash = im.loaded(value)
		case tagRela:
			im.relocated.lo = im.loaded(value)
		case tagRelaSize:
			im.relocated.n = value
		case tagNameless:
			nameless = min(value, maxSegmentSize) * relocationBytes
		}
	}
	im.relocated.skip(nameless)
	return nil
}

// loaded returns where an address of the dynamic section lies. glibc relocates
// those entries in place, musl leaves them as they are in the file.
func (im *image) loaded(addr uint64) uint64 {
	if addr < im.base {
		return addr + im.bias
	}
	return addr
}

// gnuHash is the hash of the GNU hash section.
func gnuHash(name string) uint32 {
	h := uint32(5381)
	for i := 0; i < len(name); i++ {
		h = h*33 + uint32(name[i])
	}
	return h
}

// exported is a symbol that an image defines.
type exported struct {
	number uint64 // in its table of symbols
	at     uint64 // its address in the image itself
}

// lookup returns a defined data symbol through the GNU hash section; false
// when the image does not export it.
func (im *image) lookup(v *view, name string) (exported, bool, error) {
	if im.hash == 0 || im.symbols == 0 || im.names == 0 {
		return exported{}, false, nil
	}
	var head [16]byte
	if err := v.read(im.hash, head[:]); err != nil {
		return exported{}, false, err
	}
	buckets := uint64(binary.LittleEndian.Uint32(head[0:]))
	firstSymbol := uint64(binary.LittleEndian.Uint32(head[4:]))
	bloomWords := uint64(binary.LittleEndian.Uint32(head[8:]))
	if buckets == 0 {
		return exported{}, false, nil
	}
	hash := gnuHash(name)
	bucketsAt := im.hash + 16 + 8*bloomWords
	chainsAt := bucketsAt + 4*buckets
	first, err := v.u32(bucketsAt + 4*(uint64(hash)%buckets))
	if err != nil {
		return exported{}, false, err
	}
	// A chain of the real library is a handful long; the bound is for garbage.
	for i := uint64(first); i >= firstSymbol && i < uint64(first)+4096; i++ {
		link, err := v.u32(chainsAt + 4*(i-firstSymbol))
		if err != nil {
			return exported{}, false, err
		}
		if link|1 == hash|1 {
			addr, ok, err := im.symbol(v, i, name)
			if ok || err != nil {
				return exported{number: i, at: addr}, ok, err
			}
		}
		if link&1 != 0 {
			break
		}
	}
	return exported{}, false, nil
}

// symbol returns the address of the symbol of that number if it is defined and
// bears the name.
func (im *image) symbol(v *view, number uint64, name string) (uint64, bool, error) {
	var entry [symbolBytes]byte
	if err := v.read(im.symbols+symbolBytes*number, entry[:]); err != nil {
		return 0, false, err
	}
	at := uint64(binary.LittleEndian.Uint32(entry[0:]))
	section := binary.LittleEndian.Uint16(entry[6:])
	value := binary.LittleEndian.Uint64(entry[8:])
	if section == 0 || value == 0 || at >= im.nameBytes {
		return 0, false, nil
	}
	found := make([]byte, len(name)+1)
	if err := v.read(im.names+at, found); err != nil {
		return 0, false, err
	}
	if string(found[:len(name)]) != name || found[len(name)] != 0 {
		return 0, false, nil
	}
	return im.bias + value, true, nil
}
