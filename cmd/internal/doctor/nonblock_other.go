//go:build !unix

package doctor

import "os"

const nonblock = 0

func readRecord(f *os.File, buf []byte) (int, error) { return f.Read(buf) }
