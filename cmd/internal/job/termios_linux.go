package job

import "golang.org/x/sys/unix"

func changeTermios(fd int, change func(*unix.Termios)) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	change(t)
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}

// readableBytes is the ioctl that counts the bytes that can be read.
const readableBytes = unix.TIOCINQ
