package logtail

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Parser reads the lines of one log in their order. Line returns what is known
// with the line, in a slice that holds until the next call; Used reports
// whether the line mattered; Flush ends what is open.
type Parser interface {
	Line(monitor.LogLine) []monitor.LogReading
	Used() bool
	Flush(time.Time) []monitor.LogReading
}

// Config says which logs to follow and how.
type Config struct {
	// Paths are files, directories, globs, and "-" for Stdin.
	Paths []string
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Streams are read as well, whatever Paths says.
	Streams []Stream
	// NewParser returns the parser of one more log. Rank is the rank that the
	// file's place tells, as in torchrun's log directories.
	NewParser func(path string, rank monitor.Reading[int]) Parser
	// Discover looks for the logs of the processes of a sample, when Paths is
	// empty; nil looks for none. Finder.Find is one.
	Discover func(seen *monitor.Sample) []Candidate
	// FromStart reads logs that exist from their start instead of their recent
	// past.
	FromStart bool
	// BudgetBytes is how much is read in one Read, of all logs together; 0
	// means DefaultBudget.
	BudgetBytes int64
}

// Stream is the output of a job that this program reads itself.
type Stream struct {
	Name   string // for the lines
	PID    int    // the job's process
	Reader io.Reader
}

// Bounds of a source. Together they keep it below 8 MiB.
const (
	DefaultBudget = 256 << 20 // bytes a Read, less when its deadline is near
	maxReadings   = 2048      // readings a Read; the rest stays in the file
	maxProgress   = 512       // of them, progress lines: the newest of each log stay
	maxLines      = 4096
	maxLineBytes  = 2 << 20 // text of the lines handed over in one Read
	maxFiles      = 64
	maxBehind     = 1 << 30 // bytes unread before a log is skipped ahead
	chunkBytes    = 256 << 10
	searchEvery   = 2 * time.Second  // between looks for new files
	searchSeldom  = 10 * time.Second // between looks at the open files of the same processes
	idleFlush     = 10 * time.Second // without growth, until what is open is ended
)

// Source follows logs. It implements monitor.Source.
type Source struct {
	cfg    Config
	buf    []byte
	logs   []*follower
	stdin  *stream
	piped  []*stream
	search searches
	handed time.Time // of the newest line handed over
	amount amount    // that the last Read handed over: the next is likely to have as much

	mu     sync.Mutex
	status []FileStatus
}

// follower is one log with its parser.
type follower struct {
	file   file
	parser Parser
	trace  trace
	pid    int
	how    string
	grown  time.Time
	open   bool // something may be open in the parser
	seen   bool // found again by the last search
}

// FileStatus is how one followed log stands.
type FileStatus struct {
	Path         string
	How          string // how it was found: "found by open file of pid 812"; empty when it was named
	PID          int    // the process that writes it, when known
	State        monitor.State
	Reason       string
	BehindBytes  int64 // not read yet
	SkippedBytes int64 // passed over because the log grew too fast

	resting bool // nothing has come since long before it was opened
}

// New returns a source. It opens nothing before its first Read.
func New(cfg Config) *Source {
	if cfg.BudgetBytes <= 0 {
		cfg.BudgetBytes = DefaultBudget
	}
	return &Source{cfg: cfg}
}

// Name returns "log".
func (s *Source) Name() string { return "log" }

// Files returns how the followed logs stand, in a copy. It may be called at
// any time.
func (s *Source) Files() []FileStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]FileStatus(nil), s.status...)
}

// Read returns the lines that were understood since the last call, with what
// they say, up to the deadline of ctx and the budget. What is left over comes
// with the next call.
func (s *Source) Read(ctx context.Context, req monitor.Request) monitor.Part {
	if s.search.due(req, len(s.cfg.Paths) > 0) {
		s.find(req.Seen)
	}
	t := &tick{time: req.Time, floor: s.handed, budget: s.cfg.BudgetBytes, stop: func() bool { return ctx.Err() != nil }}
	t.expect(s.amount)
	if s.stdin != nil {
		s.stdin.read(t)
	}
	for _, p := range s.piped {
		p.read(t)
	}
	for i := range s.logs {
		// another one first every time, so that a busy log cannot starve the rest
		s.follow(s.logs[(i+int(req.Time.UnixNano()/1e6))%len(s.logs)], t)
	}
	t.inOrder()
	if n := len(t.lines); n > 0 {
		s.handed = t.lines[n-1].Time
	}
	s.amount = amount{lines: len(t.lines), readings: len(t.readings)}
	part := monitor.Part{Lines: t.lines, Readings: t.readings}
	part.Status = s.report(req.Time)
	return part
}

// follow reads one log.
func (s *Source) follow(l *follower, t *tick) {
	t.at(l)
	if s.buf == nil { // not before there is a log
		s.buf = make([]byte, chunkBytes)
	}
	n := l.file.poll(s.buf, t.budget, t.full, t.take)
	t.budget -= n
	switch {
	case n > 0:
		l.grown, l.open = t.time, true
	case l.open && t.time.Sub(l.grown) >= idleFlush:
		l.open = false
		t.flush()
	}
	if l.file.behind > maxBehind {
		l.file.skipAhead(t.take)
	}
}

// Close ends all logs. What was open in them is lost: it was not printed to
// its end.
func (s *Source) Close() error {
	for _, l := range s.logs {
		l.file.close(func(int64, []byte) bool { return true })
	}
	if s.stdin != nil {
		s.stdin.close()
	}
	return nil
}
