//go:build linux

package torch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// The tests look into real processes: a program of ours that loads libraries
// with the names, classes and member types of PyTorch's allocator. g++ builds
// them when a test first needs them; without g++ those tests are skipped.

var builds struct {
	sync.Mutex
	dir  string
	done map[string]*buildResult
}

type buildResult struct {
	once sync.Once
	err  error
}

func TestMain(m *testing.M) {
	if line := os.Getenv("TORCH_TEST_AS_OTHER_USER"); line != "" {
		os.Exit(readAsOtherUser(line))
	}
	dir, err := os.MkdirTemp("", "standin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	builds.dir, builds.done = dir, map[string]*buildResult{}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// compile builds testdata/standin into the file of that name, once.
func compile(t testing.TB, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ is not installed, so the stand-in for PyTorch cannot be built")
	}
	out := filepath.Join(builds.dir, name)
	builds.Lock()
	b := builds.done[out]
	if b == nil {
		b = &buildResult{}
		builds.done[out] = b
	}
	builds.Unlock()
	b.once.Do(func() {
		if b.err = os.MkdirAll(filepath.Dir(out), 0o755); b.err != nil {
			return
		}
		cmd := exec.Command("g++", append([]string{"-std=c++17", "-O1", "-o", out}, args...)...)
		cmd.Dir = "testdata/standin"
		if text, err := cmd.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("g++: %w\n%s", err, text)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
	return out
}

// library builds a stand-in for libc10_cuda.so.
func library(t testing.TB, defines ...string) string {
	t.Helper()
	return libraryNamed(t, "libc10_cuda.so", defines...)
}

func libraryNamed(t testing.TB, file string, defines ...string) string {
	t.Helper()
	folder := strings.NewReplacer("=", "", "-D", "_").Replace("lib" + strings.Join(defines, ""))
	args := append([]string{"-fPIC", "-shared", "-fvisibility=hidden", "allocator.cpp"}, defines...)
	return compile(t, filepath.Join(folder, file), args...)
}

// process is a running stand-in.
type process struct {
	t      testing.TB
	pid    int
	input  io.WriteCloser
	output *bufio.Reader
	cmd    *exec.Cmd
}

// start runs the program with a library loaded (none when empty).
func start(t testing.TB, library string, change ...func(*exec.Cmd)) *process {
	t.Helper()
	return startProgram(t, compile(t, "standin", "program.cpp", "-ldl", "-pthread"), library, change...)
}

func startProgram(t testing.TB, program, library string, change ...func(*exec.Cmd)) *process {
	t.Helper()
	cmd := exec.Command(program)
	if library != "" {
		cmd.Args = append(cmd.Args, library)
	}
	cmd.Stderr = os.Stderr
	for _, f := range change {
		f(cmd)
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, pid: cmd.Process.Pid, input: input, output: bufio.NewReader(output), cmd: cmd}
	t.Cleanup(p.stop)
	p.expect("ready")
	return p
}

func (p *process) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

func (p *process) expect(want string) string {
	p.t.Helper()
	line, err := p.output.ReadString('\n')
	if err != nil || !strings.Contains(line, want) {
		p.t.Fatalf("the stand-in answered %q (%v), want %q", line, err, want)
	}
	return line
}

// do gives the stand-in commands, each of which must succeed, and returns the
// answer to the last.
func (p *process) do(lines ...string) string {
	p.t.Helper()
	answer := ""
	for _, line := range lines {
		if _, err := io.WriteString(p.input, line+"\n"); err != nil {
			p.t.Fatal(err)
		}
		answer = p.expect("ok")
	}
	return answer
}

// child runs a command that answers with the number of a new process.
func (p *process) child(command string) int {
	p.t.Helper()
	number, _, _ := strings.Cut(p.do(command), " ")
	pid, err := strconv.Atoi(number)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

// stats asks the stand-in for what it holds: name to current, peak, allocated
// and freed of the whole.
func (p *process) stats(device int) map[string][]int64 {
	p.t.Helper()
	out := map[string][]int64{}
	for field := range strings.FieldsSeq(p.do(fmt.Sprintf("print %d", device))) {
		name, list, ok := strings.Cut(field, "=")
		if !ok {
			continue
		}
		for n := range strings.SplitSeq(list, ",") {
			v, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				p.t.Fatal(err)
			}
			out[name] = append(out[name], v)
		}
	}
	return out
}

// newReader returns a Reader that is closed with the test.
func newReader(t testing.TB, c Config) *Reader {
	t.Helper()
	r := New(c)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// listed is a sample in which the driver lists the process on GPU 0.
func listed(pids ...int) *monitor.Sample {
	s := &monitor.Sample{GPUs: []monitor.GPU{testGPU(0)}}
	for _, pid := range pids {
		s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: 0, UsedBytes: monitor.Known[int64](60 << 30),
			Kinds: monitor.HolderCompute, InNamespace: true})
	}
	return s
}

func testGPU(index int) monitor.GPU {
	return monitor.GPU{
		Index: index, State: monitor.StateOK,
		UUID:   monitor.Known(fmt.Sprintf("GPU-0011223%d-4455-6677-8899-aabbccddee0%d", index, index)),
		Name:   monitor.Known("Test GPU"),
		Memory: monitor.DeviceMemory{TotalBytes: monitor.Known[int64](80 << 30)},
	}
}

// read asks the reader and returns the rows of one process.
func read(r *Reader, at time.Time, seen *monitor.Sample, pid int) []monitor.Allocator {
	part := r.Read(context.Background(), monitor.Request{Time: at, Seen: seen})
	var out []monitor.Allocator
	for _, row := range part.Torch {
		if row.PID == pid {
			out = append(out, row)
		}
	}
	return out
}

// readOne asks a fresh reader and wants exactly one row.
func readOne(t testing.TB, seen *monitor.Sample, pid int) monitor.Allocator {
	t.Helper()
	return only(t, read(newReader(t, Config{}), time.Now(), seen, pid))
}

func only(t testing.TB, rows []monitor.Allocator) monitor.Allocator {
	t.Helper()
	if len(rows) != 1 {
		t.Fatalf("%d rows, want one: %+v", len(rows), rows)
	}
	return rows[0]
}

func wantState(t testing.TB, row monitor.Allocator, want monitor.AllocatorState, words string) {
	t.Helper()
	if row.State != want || !strings.Contains(row.Reason, words) {
		t.Errorf("state %v, reason %q; want %v, %q", row.State, row.Reason, want, words)
	}
	if want == monitor.AllocatorOK {
		return
	}
	if row.AllocatedBytes.Known() || row.ReservedBytes.Known() || row.PeakReservedBytes.Known() {
		t.Errorf("a row of state %v carries figures", row.State)
	}
	if row.Reason == "" {
		t.Errorf("a row of state %v has no reason", row.State)
	}
}

func wantBytes(t testing.TB, row monitor.Allocator, allocated, reserved int64) {
	t.Helper()
	wantState(t, row, monitor.AllocatorOK, "")
	if got := row.AllocatedBytes.Or(-1); got != allocated {
		t.Errorf("allocated %d, want %d", got, allocated)
	}
	if got := row.ReservedBytes.Or(-1); got != reserved {
		t.Errorf("reserved %d, want %d", got, reserved)
	}
}

// readAsOtherUser is the test binary run again as somebody else: it reads one
// process and prints the row.
func readAsOtherUser(line string) int {
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r := New(Config{})
	rows := read(r, time.Now(), listed(pid), pid)
	if err := r.Close(); err != nil || len(rows) != 1 {
		fmt.Fprintln(os.Stderr, errors.New("not one row"), len(rows), err)
		return 1
	}
	fmt.Printf("%s\t%s\t%v\n", rows[0].State, rows[0].Reason, rows[0].AllocatedBytes.Known())
	return 0
}

// asUser runs readAsOtherUser under a user's number.
func asUser(t *testing.T, uid uint32, pid int) []string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can run a reader as another user")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(builds.dir, "reader.test")
	if b, err := os.ReadFile(self); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(copied, b, 0o755); err != nil && !errors.Is(err, syscall.ETXTBSY) {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "TORCH_TEST_AS_OTHER_USER="+strconv.Itoa(pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("the reader could not be run as user %d: %v", uid, err)
	}
	return strings.Split(string(bytes.TrimSpace(out)), "\t")
}
