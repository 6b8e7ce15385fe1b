//go:build linux

package torch

import (
	"encoding/binary"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// readWhole appends a file's bytes to into, at most limit of them.
func readWhole(path string, into []byte, limit int) ([]byte, error) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_CLOEXEC)
	if err != nil {
		return into, err
	}
	defer unix.Close(fd) //nolint:errcheck // opened for reading only
	return readOn(fd, into, limit)
}

// readOnce appends what one read of a file gives, at most a page.
func readOnce(path string, into []byte) ([]byte, error) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_CLOEXEC)
	if err != nil {
		return into, err
	}
	defer unix.Close(fd) //nolint:errcheck // opened for reading only
	into = slices.Grow(into, pageSize)
	for {
		n, err := unix.Read(fd, into[len(into):len(into)+pageSize])
		if err == unix.EINTR {
			continue
		}
		return into[:len(into)+max(n, 0)], err
	}
}

func openRetry(path string, flags int) (int, error) {
	for {
		fd, err := unix.Open(path, flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func readOn(fd int, into []byte, limit int) ([]byte, error) {
	for len(into) < limit {
		if cap(into)-len(into) < pageSize {
			grown := make([]byte, len(into), 2*cap(into)+4*pageSize)
			copy(grown, into)
			into = grown
		}
		n, err := unix.Read(fd, into[len(into):min(cap(into), limit)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return into, err
		}
		if n == 0 {
			break
		}
		into = into[:len(into)+n]
	}
	return into, nil
}

func readLink(path string) string {
	to, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return to
}

// statFile is an open /proc/PID/stat. It stays tied to the process it was
// opened for: once that has ended, reading fails, also when the number is
// given to another process.
type statFile struct{ fd int }

func openStat(path string) (statFile, error) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_CLOEXEC)
	return statFile{fd}, err
}

// read returns who the process is, or an error once it has ended.
func (s statFile) read(buf []byte) (identity, error) {
	for {
		n, err := unix.Pread(s.fd, buf, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return identity{}, err
		}
		id, ok := parseStat(buf[:n])
		if !ok {
			return identity{}, errShort
		}
		return id, nil
	}
}

func (s statFile) close() {
	if s.fd >= 0 {
		_ = unix.Close(s.fd)
	}
}

// dirReader lists directories without making a string of every name.
type dirReader struct{}

func (dirReader) each(path string, buf []byte, f func(name []byte) bool) error {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // opened for reading only
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		if !eachEntry(buf[:n], f) {
			return nil
		}
	}
}

// eachEntry walks the records of getdents64(2): inode, offset, length of the
// record (2 bytes at 16), type, name and NUL.
func eachEntry(b []byte, f func(name []byte) bool) bool {
	const nameAt = 19
	for len(b) >= nameAt {
		size := int(binary.NativeEndian.Uint16(b[16:]))
		if size < nameAt || size > len(b) {
			return true
		}
		name := b[nameAt:size]
		for i, c := range name {
			if c == 0 {
				name = name[:i]
				break
			}
		}
		if !f(name) {
			return false
		}
		b = b[size:]
	}
	return true
}
