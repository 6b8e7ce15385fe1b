package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/text"
)

// Speak prints what changes as lines, for a screen reader or a pipe: the layers
// of a device of which one moved by a hundredth of the card, a process that came or went,
// a source that failed or came back, a finding. It draws nothing and takes no
// keys. It returns when ctx, the feed or the job under it ends, the latter two
// with a last line that says so.
func Speak(ctx context.Context, opts Options, w io.Writer) error {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	store := opts.History
	if store == nil {
		store = history.New(history.Config{Interval: opts.Interval})
	}
	s := &speaker{w: w, opts: opts, store: store, gpus: map[string]spoken{}, sources: map[string]monitor.State{}, findings: map[advisor.Key]advisor.State{}}
	for {
		batch, err := opts.Feed.Next(ctx)
		if ctx.Err() != nil {
			return s.failed
		}
		if errors.Is(err, io.EOF) {
			s.ended()
			return s.failed
		}
		if err != nil {
			s.say(opts.Now(), "the feed failed: "+clean.Line(err.Error()))
			return err
		}
		if batch.Reset {
			store.Reset()
			s.log = logBook{}
		}
		for i := range batch.Samples {
			s.hear(&batch.Samples[i])
		}
		if job := opts.Job; job != nil && !job.Running() {
			s.judgeEnd()
			s.say(opts.Now(), "ended: "+clean.Line(job.Status()))
			return s.failed
		}
		if s.failed != nil {
			return s.failed
		}
	}
}

// ended says that nothing more comes.
func (s *speaker) ended() {
	what, at := "ended", s.opts.Now()
	if s.opts.Playback != nil {
		what = "the recording ended"
	}
	if last, ok := s.store.Latest(); ok {
		at = last.Time
	}
	s.judgeEnd()
	s.say(at, what)
}

// spoken is what was last said of a device, in bytes.
type spoken struct {
	used, reserved, allocated int64
	at                        time.Time
}

// A device is spoken of this often at most, unless a layer moved by a
// twentieth of the card.
const speakEvery = 5 * time.Second

// speaker remembers what it said.
type speaker struct {
	w         io.Writer
	opts      Options
	store     *history.Store
	log       logBook
	gpus      map[string]spoken
	processes map[monitor.ProcessKey]string
	sources   map[string]monitor.State
	findings  map[advisor.Key]advisor.State
	tracker   advisor.Tracker
	judged    time.Time
	failed    error
}

func (s *speaker) say(at time.Time, sentence string) {
	if _, err := fmt.Fprintf(s.w, "%s %s.\n", at.Format(time.TimeOnly), strings.TrimSuffix(sentence, ".")); err != nil && s.failed == nil {
		s.failed = err
	}
}

// hear says what is new in a sample.
func (s *speaker) hear(sample *monitor.Sample) {
	s.store.Append(*sample)
	s.log.add(sample)
	for i := range sample.GPUs {
		s.hearGPU(sample, &sample.GPUs[i])
	}
	s.hearProcesses(sample)
	for i := range sample.Sources {
		src := &sample.Sources[i]
		if was, known := s.sources[src.Name]; !known && src.State != monitor.StateOK || known && was != src.State {
			s.say(sample.Time, "source "+clean.Line(src.Name)+" is "+src.State.String()+because(src.Reason))
		}
		s.sources[src.Name] = src.State
	}
	for _, k := range sample.Marks {
		s.say(sample.Time, "mark: "+clean.Line(k.Text))
	}
	s.judge(sample)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + clean.Line(reason)
}

// hearGPU says a device's layers when one of them moved enough.
func (s *speaker) hearGPU(sample *monitor.Sample, g *monitor.GPU) {
	l := monitor.LayersOf(sample, g.Index)
	now := spoken{l.Used.Or(-1), l.Reserved.Or(-1), l.Allocated.Or(-1), sample.Time}
	was, known := s.gpus[g.ID()]
	if known && !moved(was, now, l.Total.Or(0)/20) && (sample.Time.Sub(was.at) < speakEvery || !moved(was, now, l.Total.Or(0)/100)) {
		return
	}
	s.gpus[g.ID()] = now
	parts := []string{"GPU " + strconv.Itoa(g.Index)}
	for _, layer := range []struct {
		name  string
		value monitor.Reading[int64]
		was   int64
	}{{"used", l.Used, was.used}, {"reserved", l.Reserved, was.reserved}, {"allocated", l.Allocated, was.allocated}} {
		v, ok := layer.value.Get()
		if !ok {
			parts = append(parts, layer.name+" not known")
			continue
		}
		word := layer.name + " " + gibText(v)
		if known && layer.was >= 0 && gibText(v) != gibText(layer.was) {
			word += map[bool]string{true: " up from ", false: " down from "}[v > layer.was] + gibText(layer.was)
		}
		parts = append(parts, word)
	}
	s.say(sample.Time, strings.Join(parts, ", ")+" of "+gibText(l.Total.Or(0))+" GiB")
}

func gibText(bytes int64) string { return strings.TrimSpace(text.GiB(bytes)) }

// moved tells whether a layer changed by at least that many bytes, or became
// known or unknown.
func moved(a, b spoken, least int64) bool {
	least = max(least, 1)
	for _, pair := range [][2]int64{{a.used, b.used}, {a.reserved, b.reserved}, {a.allocated, b.allocated}} {
		if (pair[0] < 0) != (pair[1] < 0) || max(pair[0]-pair[1], pair[1]-pair[0]) >= least {
			return true
		}
	}
	return false
}

// hearProcesses says who came and who went.
func (s *speaker) hearProcesses(sample *monitor.Sample) {
	now := map[monitor.ProcessKey]string{}
	for i := range sample.Processes {
		p := &sample.Processes[i]
		name := p.Command
		if name == "" {
			name = p.Name
		}
		now[p.Key()] = "process " + strconv.Itoa(p.PID) + " " + clean.Line(name)
	}
	for _, name := range missing(now, s.processes) {
		s.say(sample.Time, name+" came")
	}
	for _, name := range missing(s.processes, now) {
		s.say(sample.Time, name+" went")
	}
	s.processes = now
}

// missing returns the names of those in a that are not in b, in order.
func missing(a, b map[monitor.ProcessKey]string) []string {
	var out []string
	for key, name := range a {
		if _, there := b[key]; !there {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// judge says what the advisor finds new or no longer finds, where it is time.
func (s *speaker) judge(sample *monitor.Sample) {
	if sample.Time.Sub(s.judged) >= judgeEvery {
		s.pass(sample, false)
		s.sayFindings(sample)
	}
}

// judgeEnd judges the last that there is, which nothing after it can confirm.
func (s *speaker) judgeEnd() {
	last, ok := s.store.Latest()
	if !ok {
		return
	}
	s.pass(&last, true)
	s.pass(&last, true)
	s.sayFindings(&last)
}

// pass lets the advisor judge all up to a sample.
func (s *speaker) pass(sample *monitor.Sample, over bool) {
	s.judged = sample.Time
	from, _ := s.store.Span()
	found := advisor.Advise(s.log.input(s.store.Window(from, sample.Time), sample.Time, over))
	s.tracker = s.tracker.Update(sample.Time, found, advisor.Lives(sample))
}

// sayFindings says which findings are new and which changed their state.
func (s *speaker) sayFindings(sample *monitor.Sample) {
	lives := advisor.Lives(sample)
	for _, f := range s.tracker.Findings() {
		was, known := s.findings[f.Key()]
		if known && was == f.State {
			continue
		}
		s.findings[f.Key()] = f.State
		gone := f.PID != nil && !lives(*f.PID)
		sentence := f.Severity.String() + about(&f.Finding) + clean.Line(f.Sentence(gone))
		if f.State != advisor.Active {
			sentence = f.State.String() + about(&f.Finding) + clean.Line(f.Title)
		} else if len(f.Advice) > 0 {
			sentence += ". Advice: " + clean.Line(f.Advice[0].Do)
		}
		s.say(sample.Time, sentence)
		if call := s.opts.OnFinding; call != nil && !known && f.Severity == advisor.Critical {
			if err := call(f.Finding); err != nil {
				s.say(sample.Time, clean.Line(err.Error()))
			}
		}
	}
}

// about names the finding and what it concerns, between its severity and its
// claim: of several jobs on a machine a line alone must say which.
func about(f *advisor.Finding) string {
	words := ", " + string(f.ID)
	if f.GPU != nil {
		words += ", GPU " + strconv.Itoa(*f.GPU)
	}
	if f.PID != nil {
		words += ", process " + strconv.Itoa(*f.PID)
	}
	return words + ": "
}
