package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Options says how a recording is written.
type Options struct {
	// Scrub takes secrets out of command lines, environment values and log
	// lines; nil writes them as they are.
	Scrub func(string) string
	// Gzip compresses; Create sets it when the name ends in .gz.
	Gzip bool
	// Interval is the time between samples, for the header.
	Interval time.Duration
	// Exists says what Create does with a file that is there.
	Exists Exists
}

// Exists is what to do with a file that is already there.
type Exists uint8

// The choices. A recording that cannot be made again is not overwritten by
// default.
const (
	RefuseExisting Exists = iota
	AppendToExisting
	ReplaceExisting
)

// Writer writes a recording. Each sample is handed to the operating system
// whole before Write returns, so that killing the process loses none; the disk
// is not waited for.
type Writer struct {
	opts    Options
	out     *bufio.Writer
	zip     *gzip.Writer
	file    io.Closer
	name    string
	started time.Time
	header  map[int]headerGPU
	facts   map[monitor.ProcessKey]lastWritten
	samples uint64
	sources []byte // as they were written last
	told    []byte // and as they are now
	line    bytes.Buffer
	enc     *json.Encoder // into line
}

// lastWritten is what was written of a process last.
type lastWritten struct {
	facts  monitor.Process // without the figures that move
	text   []byte
	sample uint64 // that it was in last
}

// NewWriter returns a writer onto w. Close does not close w.
func NewWriter(w io.Writer, opts Options) *Writer {
	opts.Scrub = orIdentity(opts.Scrub)
	rec := &Writer{opts: opts, facts: map[monitor.ProcessKey]lastWritten{}, name: "recording"}
	rec.enc = json.NewEncoder(&rec.line)
	rec.enc.SetEscapeHTML(false)
	if opts.Gzip {
		rec.zip = gzip.NewWriter(w)
		w = rec.zip
	}
	rec.out = bufio.NewWriterSize(w, 64<<10)
	return rec
}

// Create opens a file to record into, made readable by its owner only.
func Create(name string, opts Options) (*Writer, error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_APPEND
	switch opts.Exists {
	case RefuseExisting:
		flags |= os.O_EXCL
	case ReplaceExisting:
		flags |= os.O_TRUNC
	case AppendToExisting:
	}
	file, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a recording to write: %w", err)
	}
	if strings.HasSuffix(name, ".gz") {
		opts.Gzip = true
	}
	if err := prepareAppend(file, name, &opts); err != nil {
		return nil, closing(file, err)
	}
	w := NewWriter(file, opts)
	w.file, w.name = file, name
	return w, nil
}

func closing(c io.Closer, err error) error {
	if closeErr := c.Close(); err == nil {
		return closeErr
	}
	return err
}

// prepareAppend makes sure that what is in the file is a recording that can be
// added to, and ends a line that was cut off.
func prepareAppend(file *os.File, name string, opts *Options) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at %s: %w", name, err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	end := &ending{}
	rec, err := Stream(end.over(file), name, nil, func(monitor.Sample) error { return nil })
	if err != nil {
		return fmt.Errorf("append to a recording: %w", err)
	}
	opts.Gzip = end.zipped
	if end.zipped && rec.Torn {
		return fmt.Errorf("append to %s: its compressed data ends in the middle; record into another file", name)
	}
	if !end.zipped && end.last != '\n' {
		if _, err := file.Write([]byte{'\n'}); err != nil {
			return fmt.Errorf("append to %s: %w", name, err)
		}
	}
	return nil
}

// ending watches a file being read for what it begins and ends with.
type ending struct {
	zipped bool
	last   byte
	read   bool
	r      io.Reader
}

func (e *ending) over(r io.Reader) io.Reader {
	e.r = r
	return e
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if n > 0 {
		if !e.read {
			e.zipped, e.read = p[0] == 0x1f, true
		}
		e.last = p[n-1]
	}
	return n, err
}

// Write adds a sample with its log lines, marks and what is new of its
// processes. After an error the recording may end in the middle of a line.
func (w *Writer) Write(s monitor.Sample) error {
	if w.header == nil {
		w.begin(&s)
	}
	for i := range s.Lines {
		l := &s.Lines[i]
		w.row(logRow{Type: typeLog, T: w.t(l.Time), Text: w.opts.Scrub(l.Text), Src: l.Source, PID: l.PID, Line: l.Number})
	}
	for _, m := range s.Marks {
		w.row(markRow{Type: typeMark, T: w.t(m.Time), Text: m.Text})
	}
	w.processes(&s)
	w.line.Write(w.appendSample(w.line.AvailableBuffer(), &s, w.news(&s)))
	return w.flush()
}

// Mark adds a named moment on its own.
func (w *Writer) Mark(m monitor.Mark) error {
	if w.header == nil {
		w.begin(&monitor.Sample{Time: m.Time})
	}
	w.row(markRow{Type: typeMark, T: w.t(m.Time), Text: m.Text})
	return w.flush()
}

func (w *Writer) t(at time.Time) seconds { return seconds(at.Sub(w.started)) }

func (w *Writer) begin(s *monitor.Sample) {
	w.started = s.Time.Round(0) // without the monotonic clock, as a reader will see it
	w.header = map[int]headerGPU{}
	head := headerRow{Type: typeHeader, Format: Format, Started: w.started.Format(time.RFC3339Nano), Host: s.Host,
		Driver: s.Driver, IntervalMS: float64(w.opts.Interval) / float64(time.Millisecond), GPUs: []headerGPU{}}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		row := headerGPU{Index: g.Index, UUID: extra(lean, g.UUID), Name: extra(lean, g.Name), Total: extra(lean, g.Memory.TotalBytes)}
		head.GPUs = append(head.GPUs, row)
		w.header[g.Index] = row
	}
	w.row(head)
}

// processes writes the facts of processes that are new or changed.
func (w *Writer) processes(s *monitor.Sample) {
	w.samples++
	for i := range s.Processes {
		p := &s.Processes[i]
		key, facts := p.Key(), lasting(p)
		had, known := w.facts[key]
		if !known || had.facts != facts {
			had = lastWritten{facts: facts, text: w.changed(s, p, had.text)}
		}
		had.sample = w.samples
		w.facts[key] = had
	}
	for key, had := range w.facts {
		if had.sample != w.samples {
			delete(w.facts, key)
		}
	}
}

// lasting is a process without the figures that move from sample to sample.
func lasting(p *monitor.Process) monitor.Process {
	facts := *p
	facts.State, facts.Threads = "", 0
	facts.CPUPercent, facts.HostBytes = monitor.Reading[float64]{}, monitor.Reading[int64]{}
	return facts
}

// changed writes the facts of a process unless they read as before, and
// returns how they read.
func (w *Writer) changed(s *monitor.Sample, p *monitor.Process, before []byte) []byte {
	row := factsRow{Type: typeProc, PID: p.PID, Name: word(lean, p.Name), processRow: processRowOf(lean, p, w.opts.Scrub)}
	text, err := marshal(row)
	if err != nil {
		return before // cannot be: the row holds plain values
	}
	if !bytes.Equal(before, text) {
		row.T, row.State = w.t(s.Time), word(lean, p.State)
		w.row(row)
	}
	return text
}

// news returns the sources when they are to be written again.
func (w *Writer) news(s *monitor.Sample) *[]sourceRow {
	told := sourceNames(w.told[:0], s.Sources)
	if w.told = told; bytes.Equal(told, w.sources) {
		return nil
	}
	w.sources = append(w.sources[:0], told...)
	rows := rowsOf(s.Sources, func(st *monitor.SourceStatus) sourceRow { return sourceRowOf(s.Time, st) })
	return &rows
}

// sourceNames adds what has to change for the sources to be written again.
func sourceNames(told []byte, sources []monitor.SourceStatus) []byte {
	for i := range sources {
		st := &sources[i]
		told = append(append(told, st.Name...), 0)
		told = append(append(told, st.State.String()...), 0)
		told = append(append(told, st.Reason...), '\n')
	}
	return told
}

// known leaves out what the header says of the device already.
func (w *Writer) known(row gpuRow) gpuRow {
	head := w.header[row.Index]
	row.UUID = besides(head.UUID, row.UUID)
	row.Name = besides(head.Name, row.Name)
	row.Total = besides(head.Total, row.Total)
	return row
}

func besides[T int64 | string](head, now field[T]) field[T] {
	if head.is != present {
		return now
	}
	if now.is == present && now.value == head.value {
		return field[T]{}
	}
	if now.is == absent {
		now.is = null
	}
	return now
}

// row adds a row and a line end. It cannot fail: rows hold plain values.
func (w *Writer) row(row any) { _ = w.enc.Encode(row) }

func (w *Writer) flush() error {
	_, err := w.out.Write(w.line.Bytes())
	w.line.Reset()
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil && w.zip != nil {
		err = w.zip.Flush()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", w.name, err)
	}
	return nil
}

// Close ends the recording and closes a file opened by Create.
func (w *Writer) Close() error {
	err := w.out.Flush()
	if w.zip != nil {
		if zipErr := w.zip.Close(); err == nil {
			err = zipErr
		}
	}
	if w.file != nil {
		err = closing(w.file, err)
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", w.name, err)
	}
	return nil
}
