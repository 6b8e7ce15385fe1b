package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/cmd/internal/job"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// plainly runs the job without a screen. Nothing is sampled unless something is
// to come of it. The job's exit code is that of this program whatever goes wrong
// with the rest.
func (how *running) plainly(sys System, opts *options, output *os.File, file *recording) error {
	began := sys.Now()
	diagnostics, err := opts.openDebugLog(sys)
	if err != nil {
		return err
	}
	defer diagnostics.Close() //nolint:errcheck // a debug log that is lost is no failure
	spec := job.PlainSpec{Args: how.args, Output: output}
	watched := file != nil || how.advise
	var pipe io.ReadWriteCloser
	if watched && output != nil {
		pipe = job.NewPipe()
		spec.Tap = pipe
	}
	j, err := job.StartPlain(spec)
	if err != nil {
		return refused(err)
	}
	var notes *notebook
	stop := func() {}
	if watched {
		notes = newNotebook(file, how.advise, opts)
		stop = notes.follow(sys, opts, &jobOutput{name: outputName(how.output), pid: j.PID(), reader: pipe})
	}
	result := j.Wait()
	if log := opts.screen.log; log != nil {
		log.Info("the job " + result.String())
	}
	if pipe != nil {
		_ = pipe.Close() // what is open in the log's parser ends with the job
	}
	file.hurry()
	stop()
	trouble := j.Trouble()
	how.lost(sys.Stderr, trouble)
	if how.advise {
		notes.advise(sys)
	}
	if how.verbose {
		how.summary(sys.Stderr, result, sys.Now().Sub(began), trouble == "")
	}
	return exitWith(result.Code)
}

// notebook keeps what is sampled while a job runs: in a recording, in a history
// to judge, or both.
type notebook struct {
	file  *recording
	fault error
	store *history.Store
	lines []monitor.LogLine
}

func newNotebook(file *recording, judged bool, opts *options) *notebook {
	n := &notebook{file: file}
	if judged {
		n.store = history.New(history.Config{Interval: opts.interval})
	}
	return n
}

// add takes one sample. A recording that cannot be written ends; the job and
// the rest go on.
func (n *notebook) add(s monitor.Sample) {
	if n.file != nil && n.fault == nil {
		n.fault = n.file.Write(s)
	}
	if n.store == nil {
		return
	}
	n.store.Append(s)
	if n.lines = append(n.lines, s.Lines...); len(n.lines) > 2*maxLogLines {
		n.lines = append([]monitor.LogLine(nil), n.lines[len(n.lines)-maxLogLines:]...)
	}
}

// follow samples until the function it returns is called, which takes one last
// look: the error that a job died of is in the last lines of its output.
func (n *notebook) follow(sys System, opts *options, out *jobOutput) (stop func()) {
	opts.job = out
	w, err := newWatch(sys, opts)
	if err != nil {
		_, _ = fmt.Fprintf(sys.Stderr, "vramscope: the job runs unwatched: %v\n", err)
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	feed := opts.diagnosed(opts.chosen(newJobFeed(w.sampler)))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			batch, err := feed.Next(ctx)
			if err != nil {
				return
			}
			for _, s := range batch.Samples {
				n.add(s)
			}
		}
	}()
	return func() {
		cancel()
		<-done
		n.last(w, feed)
		_ = w.Close()
		if n.fault != nil {
			_, _ = fmt.Fprintf(sys.Stderr, "vramscope: the recording ends early: %v\n", n.fault)
		}
	}
}

// lastLooks is how many samples are taken after the end of a job: the log is read
// beside the sampling, and its last lines may come one sample later.
const lastLooks = 2

// last takes the samples after the end.
func (n *notebook) last(w *watch, feed monitor.Feed) {
	ctx, cancel := context.WithTimeout(context.Background(), lastLook)
	defer cancel()
	for looks := 0; looks < lastLooks; {
		asked := time.Now()
		w.sampler.Now()
		batch, err := feed.Next(ctx)
		if err != nil {
			return
		}
		for _, s := range batch.Samples {
			n.add(s)
			if !s.Time.Before(asked) {
				looks++
			}
		}
	}
}

// advise prints what the run came to, which is over, on standard error: standard output is the
// job's.
func (n *notebook) advise(sys System) {
	from, to := n.store.Span()
	found := advisor.Advise(advisor.Input{Window: n.store.Window(from, to), Lines: n.lines, Over: true})
	if err := advisor.WriteText(sys.Stderr, found, advisor.TextOptions{}); err != nil && !errors.Is(err, os.ErrClosed) {
		_, _ = fmt.Fprintf(sys.Stderr, "vramscope: %v\n", err)
	}
}

// outputName is the name that the job's output has as a log.
func outputName(file string) string {
	if file != "" {
		return file
	}
	return "output of the job"
}
