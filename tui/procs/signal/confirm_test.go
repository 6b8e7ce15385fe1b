package signal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/procs/signal"
)

const gib = 1 << 30

// machine is a torchrun of two ranks of ann's, a notebook of bob's, a number of
// another namespace, a process that could not be read and a log.
func machine() *procs.Table {
	s := monitor.Sample{Processes: []monitor.Process{{PID: 400, StartTicks: 1, User: "ann", Name: "torchrun", Command: "torchrun train.py"}}}
	for rank := range 2 {
		pid := 446 + rank
		s.Processes = append(s.Processes, monitor.Process{
			PID: pid, ParentPID: 400, StartTicks: 2, User: "ann", Command: "python train.py " + strings.Repeat("x", 80),
			Rank: monitor.Known(rank), World: monitor.Known(2),
		})
		s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: rank, InNamespace: true, UsedBytes: monitor.Known[int64](gib)})
	}
	s.Processes = append(s.Processes, monitor.Process{PID: 901, StartTicks: 3, User: "bob", State: "Z", Command: "jupyter"},
		monitor.Process{PID: 500, ParentPID: 446, StartTicks: 4})
	s.Torch = []monitor.Allocator{
		{PID: 500, StartTicks: 4, State: monitor.AllocatorInherited},
		{Origin: monitor.OriginLog, State: monitor.AllocatorOK},
	}
	s.Holders = append(s.Holders, monitor.Holder{PID: 901, InNamespace: true}, monitor.Holder{PID: 12}, monitor.Holder{PID: 77, InNamespace: true})
	return procs.Build(&s)
}

func row(t *testing.T, pid int) *procs.Row {
	t.Helper()
	table := machine()
	for i := range table.Rows() {
		if r := &table.Rows()[i]; r.ID.Process.PID == pid {
			return r
		}
	}
	t.Fatalf("no row of PID %d", pid)
	return nil
}

func TestTheQuestionNamesTheProcessAndWhatIsAtStake(t *testing.T) {
	job := &machine().Jobs()[0].Row
	for _, tt := range []struct {
		name string
		row  *procs.Row
		s    signal.Signal
		user string
		says []string
		not  []string
	}{
		{"my own rank", row(t, 447), signal.Terminate, "ann", []string{
			"SIGTERM to PID 447 (python train.py xxx", "...) of ann on GPU 1.", "Asks it to end",
			"It is rank 1 of a job of 2 ranks on GPUs 0-1; the others usually fail", "Send SIGTERM?",
		}, []string{"not to you", "checkpoint", "workers"}},
		{"with workers", row(t, 446), signal.Kill, "ann", []string{"DataLoader workers, and that usually end with it: 1.", "Work since the last checkpoint is lost."}, nil},
		{"another user's", row(t, 901), signal.Interrupt, "ann", []string{
			"SIGINT to PID 901 (jupyter) of bob on GPU 0.", "It belongs to bob, not to you (ann).", "It has ended already",
		}, []string{"job of"}},
		{"I am nobody", row(t, 901), signal.Interrupt, "", []string{"not to you (user not known)"}, nil},
		{"not read", row(t, 77), signal.Terminate, "ann", []string{"PID 77 on GPU 0.", "Whose process it is could not be read."}, nil},
		{"a whole job", job, signal.Terminate, "ann", []string{
			"SIGTERM to PID 400 (torchrun train.py) of ann.", "It started a job of 2 ranks on GPUs 0-1, all of which it concerns.",
		}, []string{"not to you"}},
		{"another user's job", job, signal.Terminate, "bob", []string{"It belongs to ann, not to you (bob)."}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := signal.Confirmation(tt.row, tt.s, tt.user)
			got := strings.Join(lines, "\n")
			for _, want := range tt.says {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("%q in:\n%s", not, got)
				}
			}
			if last := lines[len(lines)-1]; !strings.HasSuffix(last, "?") {
				t.Errorf("the last line is no question: %q", last)
			}
		})
	}
}

func TestASignalGoesToTheRowsProcessOrToWhatStartedTheJob(t *testing.T) {
	job := &machine().Jobs()[0].Row
	for _, tt := range []struct {
		name string
		row  *procs.Row
		want monitor.ProcessKey
		says string
	}{
		{"a rank", row(t, 446), monitor.ProcessKey{PID: 446, StartTicks: 2}, ""},
		{"a job", job, monitor.ProcessKey{PID: 400, StartTicks: 1}, ""},
		{"another namespace", row(t, 12), monitor.ProcessKey{}, "another PID namespace"},
		{"a log", row(t, 0), monitor.ProcessKey{}, "log"},
		{"not read", row(t, 77), monitor.ProcessKey{PID: 77}, "start time of PID 77 is not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := signal.Target(tt.row)
			if tt.says == "" && (err != nil || got != tt.want) {
				t.Errorf("got %v, %v", got, err)
			}
			if tt.says != "" && (!errors.Is(err, signal.ErrRefused) || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("got %v", err)
			}
		})
	}
}
