package signal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs/signal"
)

// TestMain is also the children of these tests: one says that it is there and
// waits until its input ends, as it does when the test ends; the other sends a
// signal as another user.
const (
	childVariable  = "VRAMSCOPE_TEST_CHILD"
	senderVariable = "VRAMSCOPE_TEST_SEND_TO"
)

func TestMain(m *testing.M) {
	if target := os.Getenv(senderVariable); target != "" {
		var key monitor.ProcessKey
		if _, err := fmt.Sscanf(target, "%d %d", &key.PID, &key.StartTicks); err != nil {
			fmt.Println(err)
		}
		fmt.Println(signal.Send(key, signal.Kill, self()))
		os.Exit(0)
	}
	if os.Getenv(childVariable) != "" {
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is a process that can be ended without harm.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
	key   monitor.ProcessKey
}

func start(t *testing.T) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the child said %q: %v", line, err)
	}
	return &child{cmd: cmd, stdin: stdin, key: monitor.ProcessKey{PID: cmd.Process.Pid, StartTicks: startTicks(t, cmd.Process.Pid)}}
}

func startTicks(t *testing.T, pid int) uint64 {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(line)[strings.LastIndexByte(string(line), ')')+1:])
	n, err := strconv.ParseUint(fields[19], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ending returns what ended the child: a signal, or 0 when it ended by itself.
func (c *child) ending(t *testing.T) syscall.Signal {
	t.Helper()
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	status := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() { //nolint:misspell // its name
		return status.Signal()
	}
	return 0
}

func self() signal.Self { return signal.Self{PID: os.Getpid(), UID: os.Getuid()} }

func TestEachSignalReachesTheProcess(t *testing.T) {
	for _, tt := range []struct {
		s    signal.Signal
		want syscall.Signal
	}{{signal.Terminate, syscall.SIGTERM}, {signal.Interrupt, syscall.SIGINT}, {signal.Kill, syscall.SIGKILL}} {
		t.Run(tt.s.String(), func(t *testing.T) {
			c := start(t)
			if err := signal.Send(c.key, tt.s, self()); err != nil {
				t.Fatal(err)
			}
			if got := c.ending(t); got != tt.want {
				t.Errorf("ended by %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAProcessOfTheSameNumberAndAnotherStartGetsNoSignal(t *testing.T) {
	c := start(t)
	for _, wrong := range []uint64{c.key.StartTicks - 1, c.key.StartTicks + 1} {
		err := signal.Send(monitor.ProcessKey{PID: c.key.PID, StartTicks: wrong}, signal.Kill, self())
		if !errors.Is(err, signal.ErrReused) || !strings.Contains(err.Error(), strconv.Itoa(c.key.PID)) {
			t.Errorf("got %v", err)
		}
	}
	c.stdin.Close()
	if got := c.ending(t); got != 0 {
		t.Errorf("the process was ended by %v", got)
	}
}

func TestAProcessThatEndedIsSaidToHaveEnded(t *testing.T) {
	c := start(t)
	c.stdin.Close()
	if err := waitZombie(c.key.PID); err != nil {
		t.Fatal(err)
	}
	if err := signal.Send(c.key, signal.Terminate, self()); !errors.Is(err, signal.ErrGone) {
		t.Errorf("not yet collected: %v", err)
	}
	c.ending(t)
	err := signal.Send(c.key, signal.Terminate, self())
	if !errors.Is(err, signal.ErrGone) && !errors.Is(err, signal.ErrReused) {
		t.Errorf("collected: %v", err)
	}
}

// waitZombie waits until a child has ended without collecting it.
func waitZombie(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func TestSomeTargetsAreRefused(t *testing.T) {
	me := self()
	for _, tt := range []struct {
		name   string
		target monitor.ProcessKey
		says   string
	}{
		{"the first process", monitor.ProcessKey{PID: 1, StartTicks: 1}, "PID 1"},
		{"a group", monitor.ProcessKey{PID: 0, StartTicks: 1}, "PID 0"},
		{"everybody", monitor.ProcessKey{PID: -1, StartTicks: 1}, "PID -1"},
		{"itself", monitor.ProcessKey{PID: me.PID, StartTicks: 1}, "vramscope itself"},
		{"no start time", monitor.ProcessKey{PID: me.PID + 1}, "start time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := signal.Send(tt.target, signal.Terminate, me)
			if !errors.Is(err, signal.ErrRefused) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	c := start(t)
	if err := signal.Send(c.key, signal.Kill, signal.Self{PID: c.key.PID}); !errors.Is(err, signal.ErrRefused) {
		t.Errorf("itself by its own account: %v", err)
	}
	if err := signal.Send(c.key, signal.Signal(9), self()); !errors.Is(err, signal.ErrRefused) {
		t.Errorf("a signal that there is not: %v", err)
	}
}

func TestAnotherUsersProcessIsExplained(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("takes root to become another user")
	}
	c := start(t)
	program := copyForEverybody(t)
	sender := exec.Command(program)
	sender.Dir = "/"
	sender.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", senderVariable, c.key.PID, c.key.StartTicks))
	sender.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := sender.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("this container does not allow to become another user")
	}
	want := fmt.Sprintf("SIGKILL to PID %d: not permitted: it belongs to user 0 and vramscope runs as user 65534", c.key.PID)
	if !strings.Contains(string(out), want) {
		t.Errorf("got %q (%v), want %q in it", out, err, want)
	}
	c.stdin.Close()
	if got := c.ending(t); got != 0 {
		t.Errorf("the process was ended by %v", got)
	}
}

// copyForEverybody copies this program to where every user may run it.
func copyForEverybody(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vramscope-signal-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(dir+"/sender", program, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir + "/sender"
}
