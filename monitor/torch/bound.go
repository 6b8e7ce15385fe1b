package torch

import "encoding/binary"

// A library's name for a datum that it exports can be bound to another place
// than the one inside it: a C++ program that uses the name is linked with room
// of its own for it (R_X86_64_COPY), and every use is bound there, the
// library's own included. The library reaches the datum through an entry of its
// global offset table, which one of its relocations fills.

// A relocation with addend (System V ABI) is offset, info, addend. The kinds are those
// of the x86-64 supplement that put the address of a symbol into a word.
const (
	relocationBytes = 24
	relocAddress    = 1 // R_X86_64_64
	relocGlobal     = 6 // R_X86_64_GLOB_DAT
	maxRelocations  = 1 << 18
)

// skip leaves out the first n bytes.
func (x *extent) skip(n uint64) {
	n = min(n, x.n)
	x.lo, x.n = x.lo+n, x.n-n
}

// bound returns where the loader bound the image's own use of a symbol that it
// exports; false when it does not reach the symbol through its table.
func (im *image) bound(v *view, number uint64) (uint64, bool) {
	var chunk [64 * relocationBytes]byte
	left := im.relocated
	left.n = min(left.n, maxRelocations*relocationBytes)
	for left.n >= relocationBytes {
		piece := chunk[:min(uint64(len(chunk)), left.n/relocationBytes*relocationBytes)]
		if v.read(left.lo, piece) != nil {
			return 0, false
		}
		left.skip(uint64(len(piece)))
		for ; len(piece) > 0; piece = piece[relocationBytes:] {
			info := binary.LittleEndian.Uint64(piece[8:])
			kind := uint32(info)
			if info>>32 != number || kind != relocGlobal && kind != relocAddress {
				continue
			}
			at, err := v.u64(im.bias + binary.LittleEndian.Uint64(piece))
			if kind == relocAddress {
				at -= binary.LittleEndian.Uint64(piece[16:])
			}
			return at, err == nil
		}
	}
	return 0, false
}
