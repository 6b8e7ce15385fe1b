//go:build !linux

package proc

import (
	"io"
	"os"
)

// readInto fills buf from the start of a file.
func readInto(name string, buf []byte) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // read only
	n, err := f.Read(buf)
	if err == io.EOF {
		err = nil
	}
	return n, err
}
