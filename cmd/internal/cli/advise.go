package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/monitor/record"
)

// advising is what `advise` was asked for.
type advising struct {
	json    bool
	brief   bool
	failOn  string
	explain string
}

func newAdvise(sys System, opts *options) *cobra.Command {
	var how advising
	cmd := &cobra.Command{
		Use:   "advise FILE|-…",
		Short: "name the cause of memory trouble in a recording, a log or a pasted error",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && how.explain != "" {
				return fmt.Errorf("--explain %s and %s do not go together: --explain reads no file", how.explain, args[0])
			}
			if len(args) == 0 && how.explain == "" {
				return errors.New("advise needs a FILE, or - for standard input, or --explain ID")
			}
			if _, ok := advisor.Explain(how.explain, 0); !ok && how.explain != "" {
				return fmt.Errorf("--explain %q: there is no such finding; there are: %s", how.explain, strings.Join(findingIDs(), ", "))
			}
			return nil
		},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("fail-on") { // an empty one is a mistake, not the gate taken away
				return nil
			}
			if s, ok := advisor.ParseSeverity(how.failOn); !ok || s == advisor.Info {
				return fmt.Errorf("--fail-on %q: must be warning or critical", how.failOn)
			}
			return nil
		},
		RunE: run(func(_ *cobra.Command, args []string) error {
			if how.explain != "" {
				return explain(sys, how.explain)
			}
			return advise(sys, opts, args, how)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&how.json, "json", false, "print the findings as one JSON object")
	f.BoolVar(&how.brief, "brief", false, "print each finding's sentence and first advice only")
	f.StringVar(&how.failOn, "fail-on", "", "exit with 4 when a finding is that grave: warning or critical")
	f.StringVar(&how.explain, "explain", "", "print all that is known of the cause of that `ID`")
	return cmd
}

func explain(sys System, id string) error {
	words, _ := advisor.Explain(id, 0)
	_, err := io.WriteString(sys.Stdout, words)
	return err
}

func findingIDs() []string {
	var ids []string
	for _, e := range catalog.All() {
		ids = append(ids, string(e.ID))
	}
	return ids
}

// advise judges each file by itself and prints all findings, the gravest first.
func advise(sys System, opts *options, names []string, how advising) error {
	var found []advisor.Finding
	var sources []monitor.SourceStatus
	var newest time.Time
	for _, name := range names {
		j, err := judge(sys, opts, name)
		if err != nil {
			return err
		}
		for _, note := range j.notes {
			say(sys.Stderr, "vramscope: %s: %s\n", name, note)
		}
		found, sources = append(found, j.found...), append(sources, j.sources...)
		if j.until.After(newest) {
			newest = j.until
		}
	}
	if len(names) > 1 {
		slices.SortStableFunc(found, func(a, b advisor.Finding) int { return int(b.Severity) - int(a.Severity) })
	}
	if err := writeFindings(sys.Stdout, found, sources, newest, how); err != nil {
		return err
	}
	if worst, ok := advisor.ParseSeverity(how.failOn); ok {
		if slices.ContainsFunc(found, func(f advisor.Finding) bool { return f.Severity >= worst }) {
			return &exitError{code: ExitFound, err: errors.New("")}
		}
	}
	return nil
}

func writeFindings(w io.Writer, found []advisor.Finding, sources []monitor.SourceStatus, newest time.Time, how advising) error {
	if how.json {
		return advisor.WriteJSON(harmless{w}, found, sources, newest)
	}
	return advisor.WriteText(w, found, advisor.TextOptions{Brief: how.brief})
}

// judgement is what one file came to.
type judgement struct {
	found   []advisor.Finding
	sources []monitor.SourceStatus
	until   time.Time
	notes   []string
}

// sniffBytes is how much of a file tells what it is.
const sniffBytes = 64 << 10

// judge tells by its content whether a file is a recording or a log, and judges
// it whole.
func judge(sys System, opts *options, name string) (judgement, error) {
	in, _, err := openInput(sys, name)
	if err != nil {
		return judgement{}, err
	}
	defer in.Close() //nolint:errcheck // read only
	r := bufio.NewReaderSize(in, sniffBytes)
	beginning, err := r.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return judgement{}, fmt.Errorf("%s: %w", name, err)
	}
	if record.IsRecording(beginning) {
		j, err := judgeRecording(r, opts, name)
		return j, orPacked(err, beginning)
	}
	beginning = slices.Clone(beginning) // the reader's buffer goes on
	j, err := judgeLog(r, opts, name, sys.Now())
	if err != nil {
		return j, err
	}
	return orNotUnderstood(j, name, beginning)
}

func judgeRecording(r io.Reader, opts *options, name string) (judgement, error) {
	rec, err := record.Load(r, name, newRecordedLogs(opts))
	if err != nil {
		return judgement{}, err
	}
	j := judgement{notes: rec.Notes, until: rec.Started}
	if n := rec.IgnoredCount; n > 0 {
		j.notes = append(j.notes, fmt.Sprintf("rows of a type that this version does not know were left out: %d", n))
	}
	if len(rec.Samples) == 0 {
		j.notes = append(j.notes, "the recording has no sample")
		return j, nil
	}
	last := &rec.Samples[len(rec.Samples)-1]
	from, to := rec.Samples[0].Time, last.Time
	store := history.New(history.WholeFile(len(rec.Samples), to.Sub(from)))
	var before []monitor.LogReading // what a log said before its recording began
	for _, s := range rec.Samples {
		store.Append(s)
		for _, r := range s.Readings {
			if r.Time.Before(from) {
				before = append(before, r)
			}
		}
		before = advisor.Thinned(before, maxReadings)
	}
	j.found = advisor.Advise(advisor.Input{Window: store.Window(from, to), Readings: before, Lines: rec.Lines, Over: true})
	j.sources, j.until = last.Sources, to
	return j, nil
}

// judgeLog judges a log at rest or a pasted text. Its lines have no time of
// their own, so their order stands for it.
func judgeLog(r io.Reader, opts *options, name string, now time.Time) (judgement, error) {
	in := advisor.Input{}
	parser := opts.newParser(monitor.Reading[int]{})
	number := int64(0)
	err := eachLine(r, func(n int64, s string) {
		number = n
		line := monitor.LogLine{Time: now, Source: name, Number: n, Text: s}
		in.Readings = advisor.Thinned(append(in.Readings, parser.Line(line)...), maxReadings)
		in.Lines = append(in.Lines, line)
		if len(in.Lines) > 2*maxLogLines { // the end of a log is where it failed
			in.Lines = slices.Clone(in.Lines[maxLogLines:])
		}
	})
	if err != nil {
		return judgement{}, fmt.Errorf("%s: %w", name, err)
	}
	in.Readings = append(in.Readings, parser.Flush(now)...)
	status := monitor.SourceStatus{Name: "log", State: monitor.StateOK, GoodAt: now}
	j := judgement{found: advisor.Advise(in), until: now}
	if len(in.Readings) == 0 {
		status.State, status.Reason = monitor.StatePartial, fmt.Sprintf("nothing about GPU memory was understood in %d lines", number)
		if len(j.found) == 0 {
			j.notes = append(j.notes, status.Reason+"; that nothing is found in them says nothing about the job")
		}
	}
	j.sources = []monitor.SourceStatus{status}
	return j, nil
}

// The bounds of what is kept of a log: lines for the texts of errors that are
// no readings, and readings.
const (
	maxLogLines = 50_000
	maxReadings = 100_000
)
