//go:build linux || darwin

package job

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A signal to a whole process group reaches the job by itself: from the
// terminal, from timeout(1), from a scheduler. Passed on, it would come twice,
// and a second SIGINT or SIGTERM often means "at once" to a training loop. A
// witness is a process of the group that tells whether it got the signal too.

const (
	witnessWait  = 250 * time.Millisecond // for a signal that is on its way to all, on a machine whose processors are all busy
	witnessRecal = 250 * time.Millisecond
)

// Witness is the whole of the process that WitnessCommand starts: asked by
// signal number on its standard input, it answers yes or no. It returns the
// exit code of that process.
func Witness() int {
	got := make(chan os.Signal, 64)
	signal.Notify(got, Forwarded()...)
	nameSelf("vramscope")
	closeInherited(3)
	asked := make(chan syscall.Signal)
	go func() {
		defer close(asked)
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			if n, err := strconv.Atoi(in.Text()); err == nil {
				asked <- syscall.Signal(n)
			}
		}
	}()
	fmt.Println("ready")
	seen := map[os.Signal]time.Time{}
	for {
		select {
		case s := <-got:
			seen[s] = time.Now()
		case s, open := <-asked:
			if !open {
				return 0
			}
			answer := "no"
			if await(got, seen, s) {
				answer = "yes"
			}
			if _, err := fmt.Println(answer); err != nil {
				return 0
			}
		}
	}
}

// await reports whether the signal came a moment ago or comes in a moment.
func await(got <-chan os.Signal, seen map[os.Signal]time.Time, s syscall.Signal) bool {
	timer := time.NewTimer(witnessWait)
	defer timer.Stop()
	for {
		if at, ok := seen[s]; ok && time.Since(at) < witnessRecal {
			return true
		}
		select {
		case g := <-got:
			seen[g] = time.Now()
		case <-timer.C:
			return false
		}
	}
}

// witness is the other end.
type witness struct {
	process *os.Process
	ask     *os.File
	answers *bufio.Scanner
	closers []io.Closer
}

// newWitness starts one; without it, no signal counts as sent to the group.
func newWitness() *witness {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		_ = inR.Close()
		_ = inW.Close()
		return nil
	}
	defer inR.Close()  //nolint:errcheck // its own
	defer outW.Close() //nolint:errcheck // its own
	w := &witness{ask: inW, answers: bufio.NewScanner(outR), closers: []io.Closer{inW, outR}}
	if w.process, err = helper(WitnessCommand, [3]*os.File{inR, outW, nil}, nil, nil); err != nil {
		w.close()
		return nil
	}
	_ = outW.Close()
	// A signal that came before it listens would end it; some milliseconds.
	if !w.answers.Scan() {
		w.close()
		return nil
	}
	return w
}

// sawToo reports whether the witness got the signal as well.
func (w *witness) sawToo(s syscall.Signal) bool {
	if w == nil {
		return false
	}
	if _, err := fmt.Fprintln(w.ask, int(s)); err != nil {
		return false
	}
	return w.answers.Scan() && strings.TrimSpace(w.answers.Text()) == "yes"
}

func (w *witness) close() {
	if w == nil {
		return
	}
	for _, c := range w.closers {
		_ = c.Close()
	}
	if w.process != nil {
		_ = w.process.Kill()
		_, _ = w.process.Wait() // no zombie for an init that does not reap
	}
}
