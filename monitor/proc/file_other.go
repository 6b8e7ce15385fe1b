//go:build !linux

package proc

import (
	"io"
	"os"
)

// procFile is an open file below the proc root. The zero procFile is not open.
type procFile struct{ file *os.File }

func openFile(name string) (procFile, error) {
	f, err := os.Open(name)
	return procFile{f}, err
}

func (f procFile) open() bool { return f.file != nil }

// read fills buf from the start of the file.
func (f procFile) read(buf []byte) (int, error) {
	n, err := f.file.ReadAt(buf, 0)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func (f procFile) close() {
	if f.open() {
		_ = f.file.Close()
	}
}

// tied tells whether files below root are tied to processes. Only Linux has
// such a file system.
func tied(string) bool { return false }
