package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/muesli/cancelreader"

	"github.com/vramscope/vramscope/cmd/internal/job"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/output"
	"github.com/vramscope/vramscope/tui/theme"
)

// noted is a feed whose samples are noted on their way.
type noted struct {
	monitor.Feed
	notes *notebook
}

// Next waits for the next batch and notes its samples.
func (n noted) Next(ctx context.Context) (monitor.Batch, error) {
	b, err := n.Feed.Next(ctx)
	for _, s := range b.Samples {
		n.notes.add(s)
	}
	return b, err
}

// show shows the screen until the user has left it for good, and returns the
// job's exit code as an error.
func (a *attended) show(notes *notebook) error {
	options := screenOptions(a.sys, a.opts)
	options.Feed = noted{a.opts.chosen(newJobFeed(a.watch.sampler)), notes}
	options.History = history.New(history.Config{Interval: a.opts.interval})
	options.Interval, options.SetInterval = a.watch.sampler.Interval(), a.watch.sampler.SetInterval
	options.Mark = a.watch.sampler.Mark
	options.Title = a.how.title()
	options.Input = a.keys
	options.OnFinding = a.onFinding
	options.Job, options.Note, options.Quit = a.page, a.page.Status, a.askLeave
	for {
		err := a.screen(options)
		if notes.fault != nil {
			_, _ = fmt.Fprintf(a.sys.Stderr, "vramscope: the recording ends early: %v\n", notes.fault)
		}
		switch state, _ := a.job.State(); {
		case state == job.Ended:
			return a.finish()
		case err != nil, a.why() == alone:
			return a.detach(err)
		case a.why() == withJob:
			return a.await()
		}
		switch a.ask() {
		case goesOn:
			return a.detach(nil)
		case ends:
			a.job.End(job.Grace)
			return a.await()
		case back:
		}
	}
}

// askLeave returns the screen's own question what shall become of the job; nil
// once it has ended. A screen that goes without it has ask put it afterwards.
func (a *attended) askLeave() screen.Ask {
	if !a.page.Running() {
		return nil
	}
	return output.Leave(a.page, func() screen.Ask {
		a.leaveNow(alone)
		return nil
	}, func() screen.Ask {
		a.mu.Lock()
		a.leave = withJob
		a.mu.Unlock()
		a.job.End(job.Grace)
		return screen.Say{Text: "The job was told to end (SIGTERM, then SIGKILL after " + job.Grace.String() + "); the screen goes with it.", Role: theme.Warn}
	})
}

// screen shows the screen once.
func (a *attended) screen(options tui.Options) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a.mu.Lock()
	a.cancel = cancel
	gone := a.leave == alone
	a.mu.Unlock()
	if gone {
		return nil
	}
	return show(ctx, a.sys, a.opts, options)
}

// took is how long the job ran, however long the screen stayed after its end.
func (a *attended) took() time.Duration { return (<-a.ended).Sub(a.began) }

// finish says how the job ended and passes its exit code on.
func (a *attended) finish() error {
	_, result := a.job.State()
	a.job.Close()
	if result.Code != 0 {
		a.page.tail(a.sys.Stderr, a.opts)
	}
	trouble := a.job.Trouble()
	a.how.lost(a.sys.Stderr, trouble)
	a.how.summary(a.sys.Stderr, result, a.took(), trouble == "")
	return exitWith(result.Code)
}

// await waits for a job that was told to end. When the terminal is lost
// meanwhile the job still ends, and nobody is told.
func (a *attended) await() error {
	_, _ = fmt.Fprintf(a.sys.Stderr, "vramscope: waiting for the job (pid %d) to end; ctrl-c asks it again\n", a.job.PID())
	<-a.job.Done()
	return a.finish()
}

// detach leaves the job running and says where its output is.
func (a *attended) detach(why error) error {
	name, err := a.job.Detach()
	where := "its output goes to " + name
	if err != nil {
		where = err.Error()
	}
	_, _ = fmt.Fprintf(a.sys.Stderr, "vramscope: the job goes on (pid %d); %s\n", a.job.PID(), where)
	return why
}

// answer is what shall become of a job whose screen is left.
type answer uint8

const (
	back answer = iota
	goesOn
	ends
)

// ask asks on the bare terminal what shall become of the job. A terminal that
// gives no answer is lost: the job goes on.
func (a *attended) ask() answer {
	a.setAsking(true)
	defer a.setAsking(false)
	typed, err := cancelreader.NewReader(a.keys)
	if err != nil {
		return goesOn
	}
	lines := make(chan string)
	over := make(chan struct{})
	go readLines(typed, lines, over)
	defer func() {
		// Whoever still read would take keys from the screen that comes next.
		close(over)
		typed.Cancel()
		for range lines {
			continue
		}
		_ = typed.Close()
	}()
	for {
		_, _ = fmt.Fprintf(a.sys.Stderr, "The job still runs (pid %d, %s).\n  g  let it go on without the screen\n  e  end it: SIGTERM, and SIGKILL after %v\n  enter  back to the screen\n> ",
			a.job.PID(), a.how.title(), job.Grace)
		select {
		case line, ok := <-lines:
			if !ok {
				return goesOn
			}
			switch strings.ToLower(strings.TrimSpace(line)) {
			case "":
				return back
			case "g", "go", "go on", "d":
				return goesOn
			case "e", "end":
				return ends
			}
		case <-a.job.Done():
			return back
		case <-a.lost():
			return goesOn
		}
	}
}

func (a *attended) setAsking(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asking = on
}

// lost is closed when the terminal is lost while the user is asked.
func (a *attended) lost() <-chan struct{} {
	ctx, cancel := context.WithCancel(context.Background())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel = cancel
	if a.leave == alone {
		cancel()
	}
	return ctx.Done()
}

// readLines reads what is typed, line by line, until it is over.
func readLines(from io.Reader, lines chan<- string, over <-chan struct{}) {
	defer close(lines)
	in := bufio.NewScanner(from)
	for in.Scan() {
		select {
		case lines <- in.Text():
		case <-over:
			return
		}
	}
}
