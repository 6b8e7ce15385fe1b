package proc

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func TestALongVariableDoesNotHideTheOnesBehindIt(t *testing.T) {
	// The second buffer begins with what looks like an entry and is none.
	long := "LONG=" + strings.Repeat("x", environBytes-len("LONG="))
	env, err := parseEnviron(strings.NewReader(long+"RANK=9"+strings.Repeat("x", 3*environBytes)+"\x00RANK=1\x00"), make([]byte, environBytes))
	if err != nil || env["RANK"] != "1" {
		t.Errorf("rank is %q, %v", env["RANK"], err)
	}
}

// spy keeps the buffer that it was asked to fill.
type spy struct {
	*strings.Reader
	buf []byte
}

func (s *spy) Read(p []byte) (int, error) {
	if s.buf == nil {
		s.buf = p
	}
	return s.Reader.Read(p)
}

func TestTheBufferOfAnEnvironmentIsWiped(t *testing.T) {
	s := &spy{Reader: strings.NewReader("HF_TOKEN=hush\x00RANK=1\x00")}
	if _, err := parseEnviron(s, make([]byte, environBytes)); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(s.buf, []byte("hush")) {
		t.Error("the buffer still holds a variable that is not allowed")
	}
}

// stuck never tells the command line of one process before it is let go.
type stuck struct {
	pid   int
	let   chan struct{}
	asked int
	commandLines
}

func (s *stuck) commandLine(ctx context.Context, pid int) ([]string, error) {
	if pid == s.pid {
		s.asked++
		<-s.let
		return []string{"python", "stuck.py"}, nil
	}
	return s.commandLines.commandLine(ctx, pid)
}

func TestAProcessThatIsStuckDelaysOneSampleAndIsAskedOnce(t *testing.T) {
	pid := os.Getpid()
	synctest.Test(t, func(t *testing.T) {
		source := New(Config{Patience: 100 * time.Millisecond})
		commands := &stuck{pid: pid, let: make(chan struct{}), commandLines: source.reader.commands}
		source.reader.commands = commands
		seen := &monitor.Sample{Torch: []monitor.Allocator{{PID: pid}}}
		begin := time.Now()
		ask := func() monitor.Process {
			part := source.Read(context.Background(), monitor.Request{Time: time.Now(), Seen: seen})
			for _, p := range part.Processes {
				if p.PID == pid {
					return p
				}
			}
			t.Fatalf("no row: %+v", part)
			return monitor.Process{}
		}
		p := ask()
		if p.Command != "" || p.Rank.Why().Code != monitor.TimedOut || p.Threads == 0 {
			t.Errorf("a stuck process is %+v", p)
		}
		for range 3 {
			ask()
		}
		if waited := time.Since(begin); waited != 100*time.Millisecond {
			t.Errorf("waited %v in four samples, want one patience", waited)
		}
		source.Read(context.Background(), monitor.Request{Time: time.Now()})
		ask()
		close(commands.let)
		synctest.Wait()
		if p = ask(); p.Command != "python stuck.py" || commands.asked != 1 {
			t.Errorf("afterwards it is %q, asked %d times", p.Command, commands.asked)
		}
	})
}

func TestFactsOfTheProgramBeforeAnExecAreNotTaken(t *testing.T) {
	at := time.Unix(1000, 0)
	before, after := stat{pid: 7, state: 'S', image: image{argStart: 1}}, stat{pid: 7, state: 'S', image: image{argStart: 2}}
	e := newEntry(before, at)
	e.observe(after, at.Add(time.Second))
	e.take(facts{command: "old", image: before.image}, at)
	if e.have || e.facts.command != "" {
		t.Errorf("the new program is called %q", e.facts.command)
	}
	e.take(facts{command: "new", image: after.image}, at)
	if !e.have || e.facts.command != "new" {
		t.Errorf("the new program is called %q", e.facts.command)
	}
}

func TestThisMachineTellsOfThisProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	cmd := exec.Command("sleep", "60")
	cmd.Env = []string{"RANK=6", "WORLD_SIZE=7", "SECRET=x"}
	if err := cmd.Start(); err != nil {
		t.Skipf("no child can be started here: %v", err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	seen := &monitor.Sample{Torch: []monitor.Allocator{{PID: cmd.Process.Pid}}}
	part := New(Config{}).Read(t.Context(), monitor.Request{Time: time.Now(), Seen: seen})
	for _, p := range part.Processes {
		if p.PID != cmd.Process.Pid {
			continue
		}
		if p.Command != "sleep 60" || p.Rank.Or(-1) != 6 || p.World.Or(-1) != 7 || p.ParentPID != os.Getpid() || p.User == "" {
			t.Errorf("the child is %+v", p)
		}
		return
	}
	t.Errorf("no row for the child: %+v", part)
}

func TestFactsThatStayTheSameAreReadLessAndLessOften(t *testing.T) {
	at := time.Unix(0, 0)
	seen := stat{pid: 16, state: 'S', startTicks: 7}
	e := newEntry(seen, at)
	same := facts{command: "python", uidKnown: true}
	hour := func() (reads int) {
		for range 3600 {
			if at = at.Add(time.Second); e.outdated(seen, at) {
				e.take(same, at)
				reads++
			}
		}
		return reads
	}
	e.take(same, at)
	if first, second := hour(), hour(); first > 15 || second > 12 || second < 11 {
		t.Errorf("read %d times in the first hour and %d in the second, want 30 s, a minute … and every 5 minutes", first, second)
	}
	e.take(facts{command: "python", uidKnown: true, uid: 7}, at)
	if at = at.Add(factsAge + time.Second); !e.outdated(seen, at) {
		t.Error("a change is not looked after soon")
	}
}

func BenchmarkReadOf64Processes(b *testing.B) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		b.Skip("no /proc here")
	}
	seen := &monitor.Sample{}
	for range 64 {
		cmd := exec.Command("sleep", "600")
		if err := cmd.Start(); err != nil {
			b.Skipf("no child can be started here: %v", err)
		}
		b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		seen.Torch = append(seen.Torch, monitor.Allocator{PID: cmd.Process.Pid})
	}
	at := time.Now()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			New(Config{}).Read(b.Context(), monitor.Request{Time: at, Seen: seen})
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/64, "µs/process")
	})
	b.Run("tick", func(b *testing.B) {
		source := New(Config{})
		b.ReportAllocs()
		for b.Loop() {
			at = at.Add(time.Second)
			source.Read(b.Context(), monitor.Request{Time: at, Seen: seen})
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/64, "µs/process")
	})
}

// broken falls over at every command line.
type broken struct{}

func (broken) commandLine(context.Context, int) ([]string, error) { panic("index out of range") }

func TestAMistakeInReadingAboutAProcessIsItsReasonAndNotTheProgramsEnd(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skipf("no child can be started here: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s := New(Config{Patience: time.Minute})
	defer s.Close() //nolint:errcheck // returns nil
	s.reader.commands = broken{}
	seen := &monitor.Sample{Torch: []monitor.Allocator{{PID: cmd.Process.Pid}}}
	part := s.Read(t.Context(), monitor.Request{Time: time.Now(), Seen: seen})
	for _, p := range part.Processes {
		if p.PID == cmd.Process.Pid {
			if why := p.Rank.Why().String(); !strings.Contains(why, "inside the program") || p.Name != "sleep" {
				t.Errorf("%+v: %s", p, why)
			}
			return
		}
	}
	t.Errorf("the process is missing in %+v", part.Processes)
}
