package signal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/vramscope/vramscope/monitor"
)

// procRoot is the only process table whose numbers kill(2) takes: not one that
// --host-proc points to.
const procRoot = "/proc"

// Send sends a signal to the process of that name, and to nothing else. It
// holds the process by a file descriptor (pidfd_open(2), Linux 5.3) while it
// looks at the start time, so that the number cannot pass to another process
// between looking and sending; where the kernel or a container forbids that,
// it looks right before kill(2).
//
// Every error names the process. ErrRefused: PID 1 and below, the program
// itself, a start time that is not known, a process table of another PID
// namespace. ErrGone, ErrReused, ErrPermission: as they say.
func Send(target monitor.ProcessKey, s Signal, self Self) error {
	number, err := numberOf(s)
	if err != nil {
		return fmt.Errorf("%s to PID %d: %w", s, target.PID, err)
	}
	if err := check(target); err != nil {
		return fmt.Errorf("%s to PID %d: %w", s, target.PID, err)
	}
	if target.PID == self.PID || target.PID == os.Getpid() {
		return fmt.Errorf("%s to PID %d: %w: that is vramscope itself", s, target.PID, ErrRefused)
	}
	if err := send(target, number); err != nil {
		return fmt.Errorf("%s to PID %d: %w", s, target.PID, explain(err, target.PID, self))
	}
	return nil
}

func numberOf(s Signal) (unix.Signal, error) {
	switch s {
	case Interrupt:
		return unix.SIGINT, nil
	case Terminate:
		return unix.SIGTERM, nil
	case Kill:
		return unix.SIGKILL, nil
	}
	return 0, fmt.Errorf("%w: there is no such signal", ErrRefused)
}

func send(target monitor.ProcessKey, number unix.Signal) error {
	fd, err := unix.PidfdOpen(target.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case err != nil: // ENOSYS before Linux 5.3, EPERM where a container filters the call
		return sendByNumber(target, number)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	if err := sameNamespace(fd, target.PID); err != nil {
		return err
	}
	if err := verify(target); err != nil {
		return err
	}
	err = unix.PidfdSendSignal(fd, number, nil, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // or a filter of the container
		return sendByNumber(target, number)
	}
	return err
}

// sendByNumber leaves a moment between looking and sending.
func sendByNumber(target monitor.ProcessKey, number unix.Signal) error {
	if err := ownProc(); err != nil {
		return err
	}
	if err := verify(target); err != nil {
		return err
	}
	return unix.Kill(target.PID, number)
}

var errNamespace = fmt.Errorf("%w: %s shows another PID namespace, its numbers name other processes here", ErrRefused, procRoot)

// ownProc tells whether the proc mount numbers this program as it numbers
// itself.
func ownProc() error {
	link, err := os.Readlink(procRoot + "/self")
	if err != nil || link != strconv.Itoa(os.Getpid()) {
		return errNamespace
	}
	return nil
}

// sameNamespace compares the number of the held process in the namespace of
// the proc mount (line Pid of /proc/self/fdinfo/FD, proc(5)) with the one that
// was asked for. They differ when another namespace's proc is mounted here.
func sameNamespace(fd, pid int) error {
	info, err := os.ReadFile(fmt.Sprintf("%s/self/fdinfo/%d", procRoot, fd))
	if err != nil {
		return errNamespace // self is not in it
	}
	for line := range bytes.Lines(info) {
		if value, ok := bytes.CutPrefix(line, []byte("Pid:")); ok {
			switch string(bytes.TrimSpace(value)) {
			case strconv.Itoa(pid):
				return nil
			case "-1":
				return ErrGone
			}
			return errNamespace
		}
	}
	return ownProc() // a kernel that does not print it
}

// verify reads the start time again (field 22 of /proc/PID/stat,
// proc_pid_stat(5)).
func verify(target monitor.ProcessKey) error {
	line, err := os.ReadFile(fmt.Sprintf("%s/%d/stat", procRoot, target.PID))
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, unix.ESRCH):
		return ErrGone
	case err != nil:
		return fmt.Errorf("%w: its start time cannot be read: %w", ErrRefused, err)
	}
	state, start, err := parseStat(line)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case start != target.StartTicks:
		return ErrReused
	case state == 'Z' || state == 'X':
		return fmt.Errorf("%w and waits for its parent to collect it", ErrGone)
	}
	return nil
}

// parseStat returns the fields 3 and 22. The name between brackets may hold
// anything, also brackets, so the last bracket ends it.
func parseStat(line []byte) (state byte, start uint64, err error) {
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return 0, 0, fmt.Errorf("not a line of /proc/PID/stat: %.40q", line)
	}
	fields := bytes.Fields(line[end+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return 0, 0, fmt.Errorf("not a line of /proc/PID/stat: %.40q", line)
	}
	start, err = strconv.ParseUint(string(fields[19]), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("start time of /proc/PID/stat: %w", err)
	}
	return fields[0][0], start, nil
}

// explain turns the kernel's answer into words.
func explain(err error, pid int, self Self) error {
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case errors.Is(err, unix.EPERM):
		var st unix.Stat_t
		if unix.Stat(fmt.Sprintf("%s/%d", procRoot, pid), &st) == nil && int(st.Uid) != self.UID {
			return fmt.Errorf("%w: it belongs to user %d and vramscope runs as user %d; run as its owner or with sudo", ErrPermission, st.Uid, self.UID)
		}
		return fmt.Errorf("%w: run as its owner or with sudo", ErrPermission)
	}
	return err
}
