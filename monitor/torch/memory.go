package torch

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"syscall"
)

// Span is a piece of a process's memory: Into is to be filled with the bytes
// from address Addr on.
type Span struct {
	Addr uint64
	Into []byte
}

// Memory reads the address space of one process.
type Memory interface {
	// Read fills every span, one after the other and each from its lowest
	// address up, or fails. The error is fs.ErrPermission when the kernel
	// refuses, fs.ErrNotExist or syscall.ESRCH when the process is gone, and
	// anything else when an address is not mapped.
	Read(spans []Span) error
	Close() error
}

// errShort says that fewer bytes were there than asked for.
var errShort = errors.New("the memory asked for is not all mapped")

func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}

// view reads words and pieces through a Memory without allocating.
type view struct {
	mem  Memory
	one  [1]Span
	word [8]byte
}

func (v *view) read(addr uint64, into []byte) error {
	if addr+uint64(len(into)) < addr {
		return errShort
	}
	v.one[0] = Span{Addr: addr, Into: into}
	return v.mem.Read(v.one[:])
}

func (v *view) u64(addr uint64) (uint64, error) {
	if err := v.read(addr, v.word[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(v.word[:]), nil
}

func (v *view) u32(addr uint64) (uint32, error) {
	if err := v.read(addr, v.word[:4]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(v.word[:4]), nil
}

// text reads a NUL-terminated text of at most limit bytes. It reads on in
// small steps so that a text near the end of a mapping can be read.
func (v *view) text(addr uint64, limit int) (string, error) {
	var out []byte
	var step [16]byte
	for len(out) < limit {
		// Never step over a page border in one read.
		n := min(uint64(len(step)), pageSize-addr%pageSize)
		if err := v.read(addr, step[:n]); err != nil {
			return "", err
		}
		for _, c := range step[:n] {
			if c == 0 {
				return string(out), nil
			}
			out = append(out, c)
		}
		addr += n
	}
	return "", errors.New("text without an end")
}

const pageSize = 4096
