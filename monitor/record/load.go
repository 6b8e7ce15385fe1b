package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// LineParser tells what log lines say. Line is called with the lines of a
// recording in order and may keep state; Flush, at the end, tells what is still
// open then, such as an error of several lines. The slices may be its own.
type LineParser interface {
	Line(monitor.LogLine) []monitor.LogReading
	Flush(end time.Time) []monitor.LogReading
}

// Recording is what a file holds.
type Recording struct {
	Name     string
	Host     string
	Driver   string
	Started  time.Time
	Interval time.Duration     // as the header says; 0 when it does not
	Samples  []monitor.Sample  // empty after Stream, as the next two
	Lines    []monitor.LogLine // those of all samples
	Marks    []monitor.Mark
	// SampleCount, LineCount and IgnoredCount count the rows of the file; the
	// last those of types that this version does not know.
	SampleCount, LineCount, IgnoredCount int
	// Torn is true when the end of the file was missing.
	Torn bool
	// Notes are sentences about what was dropped.
	Notes []string
}

// Load reads a whole recording, plain or gzip. Log lines go through parse,
// which may be nil; what they say is attached to the sample that follows, or
// to the last one. The error names the file, the line and what is wrong there;
// errors.Is tells ErrNotRecording and ErrTooNew.
func Load(r io.Reader, name string, parse LineParser) (*Recording, error) {
	return LoadWatched(r, name, parse, func(int) error { return nil })
}

// LoadWatched is Load for a file that takes long. Watch is told how many
// samples were read: 0 once the file turned out to be a recording, and then at
// every sample. An error of it ends the loading and is returned in the error.
func LoadWatched(r io.Reader, name string, parse LineParser, watch func(samples int) error) (*Recording, error) {
	var all Recording
	held := int64(0)
	rec, err := stream(r, name, parse, func() error { return watch(0) }, func(s monitor.Sample) error {
		held += 512 + 1024*int64(len(s.GPUs)+len(s.Holders)+len(s.Processes)+len(s.Torch)+len(s.Lines))
		if held > maxHeldBytes {
			return fmt.Errorf("it takes more than %d GiB to hold; cut it into pieces", maxHeldBytes>>30)
		}
		all.Samples = append(all.Samples, s)
		all.Lines = append(all.Lines, s.Lines...)
		all.Marks = append(all.Marks, s.Marks...)
		return watch(len(all.Samples))
	})
	if err != nil {
		return nil, err
	}
	rec.Samples, rec.Lines, rec.Marks = all.Samples, all.Lines, all.Marks
	return rec, nil
}

// Stream reads a recording like Load and hands its samples to each as they
// come, for files too large to hold.
func Stream(r io.Reader, name string, parse LineParser, each func(monitor.Sample) error) (*Recording, error) {
	return stream(r, name, parse, func() error { return nil }, each)
}

func stream(r io.Reader, name string, parse LineParser, begun func() error, each func(monitor.Sample) error) (*Recording, error) {
	l := &loader{rec: &Recording{Name: name}, parse: parse, isOne: begun, each: each, facts: map[int]monitor.Process{}}
	lines, err := newLineReader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := l.run(lines); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", name, lines.number, err)
	}
	if err := l.finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l.rec, nil
}

// loader assembles samples from rows.
type loader struct {
	rec     *Recording
	parse   LineParser
	isOne   func() error // is told once that the file is a recording
	each    func(monitor.Sample) error
	begun   bool
	started time.Time
	host    string
	driver  string
	gpus    map[int]headerGPU
	facts   map[int]monitor.Process
	sources []sourceRow
	since   time.Time      // when sources were told
	last    monitor.Sample // read, and not yet handed on: the lines after the last sample belong to it
	have    bool
	pending pending
	seq     uint64
	// unordered counts the samples that are not later than the one before in the
	// same recording; joined tells that another one has begun in the file.
	unordered int
	joined    bool
	quick     quick
	// broken describes a line that is no JSON, brokenAt is its number.
	broken   string
	brokenAt int
}

// pending is what belongs to the sample that comes next.
type pending struct {
	lines    []monitor.LogLine
	readings []monitor.LogReading
	marks    []monitor.Mark
}

func (l *loader) run(lines *lineReader) error {
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			if !l.begun {
				return fmt.Errorf("%w: it is empty", ErrNotRecording)
			}
			return l.stillBroken(lines)
		case errors.Is(err, errTorn):
			return l.torn(line, lines.number)
		case err != nil:
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := l.line(line, lines.number); err != nil {
			return err
		}
	}
}

// torn handles what is left of a last line. It may be whole but for its end.
func (l *loader) torn(line []byte, number int) error {
	if !l.begun && !json.Valid(line) {
		return fmt.Errorf("%w: %s", ErrNotRecording, notJSON(line))
	}
	l.rec.Torn = true
	if len(line) > 0 && json.Valid(line) {
		return l.line(line, number)
	}
	l.rec.Notes = append(l.rec.Notes, fmt.Sprintf("line %d was cut off and is left out", number))
	return nil
}

func (l *loader) stillBroken(lines *lineReader) error {
	if l.broken != "" {
		lines.number = l.brokenAt
		return errors.New(l.broken)
	}
	return nil
}

// line handles one row. One that is no JSON is forgiven only where the next
// begins a recording again: that is where a killed recorder was followed by
// another.
func (l *loader) line(line []byte, number int) error {
	if !l.begun {
		return l.header(line)
	}
	if l.broken == "" && bytes.Count(line, []byte("{")) <= maxLineRows {
		if row, ok := l.quick.sample(line); ok {
			return l.assemble(row)
		}
	}
	var row struct {
		Type field[string] `json:"type"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		if l.broken == "" && !json.Valid(line) {
			l.broken, l.brokenAt = notJSON(line), number
			return nil
		}
		return fmt.Errorf("not a row of a recording: %w", jsonError(err))
	}
	if l.broken != "" {
		if row.Type.value != typeHeader {
			return fmt.Errorf("the line before it is damaged: %s", l.broken)
		}
		l.broken = ""
		l.rec.Notes = append(l.rec.Notes, fmt.Sprintf("line %d was cut off and is left out", number-1))
	}
	if n := bytes.Count(line, []byte("{")); n > maxLineRows {
		return fmt.Errorf("%d objects in one line, more than %d", n, maxLineRows)
	}
	switch row.Type.value { // empty when it is no text
	case typeHeader:
		return l.header(line)
	case typeSample:
		return l.sample(line)
	case typeLog:
		return l.log(line)
	case typeMark:
		return l.mark(line)
	case typeProc:
		return l.proc(line)
	}
	l.rec.IgnoredCount++
	return nil
}

// notJSON describes a line for an error without repeating it.
func notJSON(line []byte) string {
	var whatever json.RawMessage
	err := json.Unmarshal(line, &whatever)
	if bytes.IndexByte(line, 0) >= 0 {
		return "it holds binary data"
	}
	return fmt.Sprintf("it is not JSON (%v)", err)
}

func parseHeader(line []byte) (headerRow, error) {
	var h headerRow
	if !json.Valid(line) {
		return h, fmt.Errorf("%w: %s", ErrNotRecording, notJSON(line))
	}
	if n := bytes.Count(line, []byte("{")); n > maxLineRows {
		return h, fmt.Errorf("%w: %d objects in its first line", ErrNotRecording, n)
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return h, fmt.Errorf("%w: its header: %w", ErrNotRecording, jsonError(err))
	}
	if h.Type != typeHeader {
		return h, fmt.Errorf("%w: its first line has type %.20q, not \"header\"", ErrNotRecording, h.Type)
	}
	if h.Format > Format {
		return h, fmt.Errorf("format %d: %w, this one reads format %d", h.Format, ErrTooNew, Format)
	}
	if h.Format < 1 {
		return h, fmt.Errorf("%w: format %d does not exist", ErrNotRecording, h.Format)
	}
	return h, nil
}

func (l *loader) header(line []byte) error {
	h, err := parseHeader(line)
	if err != nil {
		return err
	}
	started, err := time.Parse(time.RFC3339Nano, h.Started)
	if err != nil {
		return fmt.Errorf("header: started is %.40q, not a time (RFC 3339)", h.Started)
	}
	l.started, l.host, l.driver, l.sources = started, h.Host, h.Driver, nil
	l.gpus = make(map[int]headerGPU, len(h.GPUs))
	for _, g := range h.GPUs {
		l.gpus[g.Index] = g
	}
	if l.begun {
		l.joined = true
		return nil
	}
	l.begun = true
	l.rec.Host, l.rec.Driver, l.rec.Started = h.Host, h.Driver, started
	if h.IntervalMS > 0 && h.IntervalMS < 1e9 {
		l.rec.Interval = time.Duration(h.IntervalMS * float64(time.Millisecond))
	}
	return l.isOne()
}

func (l *loader) at(t seconds) time.Time { return l.started.Add(time.Duration(t)) }
