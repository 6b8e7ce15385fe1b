package signal

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/vramscope/vramscope/monitor"
)

// ownKey is the name of this test.
func ownKey(t *testing.T) monitor.ProcessKey {
	line, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, start, err := parseStat(line)
	if err != nil {
		t.Fatal(err)
	}
	return monitor.ProcessKey{PID: os.Getpid(), StartTicks: start}
}

func TestWithoutPidfdTheStartTimeIsCheckedToo(t *testing.T) {
	key := ownKey(t)
	const nothing = unix.Signal(0) // asks for the right to send, and sends nothing
	if err := sendByNumber(key, nothing); err != nil {
		t.Error(err)
	}
	key.StartTicks++
	if err := sendByNumber(key, nothing); !errors.Is(err, ErrReused) {
		t.Errorf("got %v", err)
	}
}

func TestANumberOfAnotherNamespaceIsRefused(t *testing.T) {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Skip("no pidfd_open here: ", err)
	}
	defer unix.Close(fd)
	if err := sameNamespace(fd, os.Getpid()); err != nil {
		t.Error(err)
	}
	if err := sameNamespace(fd, os.Getpid()+1); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestStatIsReadBehindTheLastBracket(t *testing.T) {
	line := "446 (a) Z 9 (b) R 1 446 446 0 -1 4194304 0 0 0 0 1 2 0 0 20 0 1 0 987654 1 2"
	state, start, err := parseStat([]byte(line))
	if err != nil || state != 'R' || start != 987654 {
		t.Errorf("got %c %d %v", state, start, err)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("446 (python) S 1 446 446 0 -1 4194304 0 0 0 0 1 2 0 0 20 0 1 0 987654 1 2"))
	f.Add([]byte("1 ()"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if state, start, err := parseStat(line); err != nil && (state != 0 || start != 0) {
			t.Errorf("%q: figures beside an error", line)
		}
	})
}
