package advisor

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// TextOptions says how findings are written for people.
type TextOptions struct {
	Width int  // columns to wrap at; 0 is 100
	Brief bool // the sentence and the first advice only
}

const defaultWidth = 100

// WriteText writes findings as plain text for a terminal or a file, without
// colour. It writes one line when there is nothing to say. The error is the
// writer's.
func WriteText(w io.Writer, found []Finding, o TextOptions) error {
	width := o.Width
	if width <= 0 {
		width = defaultWidth
	}
	t := &textWriter{w: w, width: max(width, 40)}
	if len(found) == 0 {
		t.line("", "Nothing to report: no known cause of memory trouble was found.")
		return t.err
	}
	for i, f := range found {
		if i > 0 {
			t.raw("\n")
		}
		t.finding(f, o.Brief)
	}
	return t.err
}

// textWriter keeps the first error of a writer.
type textWriter struct {
	w     io.Writer
	width int
	err   error
}

func (t *textWriter) raw(s string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, s)
	}
}

// line writes text wrapped under an indent.
func (t *textWriter) line(indent, text string) { t.hang(indent, indent, text) }

// hang writes text with another indent for its first line.
func (t *textWriter) hang(first, rest, text string) {
	prefix := first
	for _, piece := range strings.Split(text, "\n") {
		line := prefix
		empty := true
		for _, word := range strings.Fields(piece) {
			if !empty && len([]rune(line))+1+len([]rune(word)) > t.width {
				t.raw(line + "\n")
				line, empty = rest, true
			}
			if !empty {
				line += " "
			}
			line += word
			empty = false
		}
		t.raw(line + "\n")
		prefix = rest
	}
}

func (t *textWriter) finding(f Finding, brief bool) {
	t.raw(fmt.Sprintf("%s  %s%s\n", strings.ToUpper(f.Severity.String()), f.ID, where(f)))
	t.line("  ", f.Title+".")
	t.raw(fmt.Sprintf("  confidence: %s%s\n", f.Confidence, held(f)))
	if brief {
		if len(f.Advice) > 0 {
			t.advice(f.Advice[0])
		}
		return
	}
	t.raw("  what to do:\n")
	for _, a := range f.Advice {
		t.advice(a)
	}
	t.hang("  it is this if: ", "    ", f.Confirm)
	t.hang("  it is not if:  ", "    ", f.Refute)
	t.evidence(f.Evidence)
}

// evidence writes the figures, and once where all of them are from when they
// have one source.
func (t *textWriter) evidence(all []Evidence) {
	if len(all) == 0 {
		return
	}
	source := all[0].Source
	for _, e := range all {
		counted := e.Source == "" && e.Unit == Count // in the figures of that source
		if e.Source != source && !counted {
			source = ""
		}
	}
	heading := "evidence"
	if source != "" {
		heading += ", " + source
	}
	t.raw("  " + heading + ":\n")
	for _, e := range all {
		text := e.Text()
		if source != "" {
			text = e.figure()
		}
		t.raw(fmt.Sprintf("    %-42s %s\n", e.Name, text))
	}
}

func (t *textWriter) advice(a catalog.Advice) {
	t.hang("    - ", "      ", a.Do)
	if a.Code != "" {
		for _, code := range strings.Split(a.Code, "\n") {
			t.raw("        " + code + "\n")
		}
	}
	if a.Cost != "" {
		t.hang("      cost: ", "      ", a.Cost)
	}
	if a.Limits != "" {
		t.hang("      it will not ", "      ", a.Limits)
	}
}

// where says which device, process and rank a finding is about.
func where(f Finding) string {
	var parts []string
	if f.GPU != nil {
		parts = append(parts, fmt.Sprintf("GPU %d", *f.GPU))
	}
	if f.PID != nil {
		parts = append(parts, fmt.Sprintf("process %d", *f.PID))
	}
	if f.Rank != nil {
		parts = append(parts, fmt.Sprintf("rank %d", *f.Rank))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, ", ")
}

// held says from when to when a finding held, and whether it still does.
func held(f Finding) string {
	when := ""
	switch {
	case f.From.IsZero():
	case f.To.Sub(f.From) < time.Second:
		when = " at " + f.From.Format(time.TimeOnly)
	default:
		when = " from " + f.From.Format(time.TimeOnly) + " to " + f.To.Format(time.TimeOnly)
	}
	if f.State == Ended {
		return "," + cmp.Or(when, " seen earlier") + "; its process has ended since"
	}
	if when == "" && f.State == Active {
		return "" // a text alone, which is of no time
	}
	return ", " + f.State.String() + when
}

// Text returns the figure with its unit and its source for people.
func (e Evidence) Text() string {
	if e.Source != "" {
		return e.figure() + ", " + e.Source
	}
	return e.figure()
}

func (e Evidence) figure() string {
	switch e.Unit {
	case Bytes:
		return size(e.Value)
	case BytesPerSecond:
		return rate(e.Value)
	case BytesPerStep:
		return size(e.Value) + " a step"
	case Percent:
		return digits(e.Value) + " %"
	case Seconds:
		return duration(e.Value)
	case Count, Ratio:
		return digits(e.Value)
	}
	return digits(e.Value)
}

// Explain returns all that is said about a cause, as plain text; false when
// there is no cause of that name.
func Explain(id string, width int) (string, bool) {
	e, ok := catalog.Find(id)
	if !ok {
		return "", false
	}
	if width <= 0 {
		width = defaultWidth
	}
	var b strings.Builder
	t := &textWriter{w: &b, width: max(width, 40)}
	t.raw(string(e.ID) + ": " + e.Name + "\n\n")
	t.line("  ", e.Meaning)
	t.raw("\n")
	t.hang("  needs: ", "    ", e.Needs)
	t.hang("  it is this if: ", "    ", e.Confirm)
	t.hang("  it is not if:  ", "    ", e.Refute)
	if e.Folklore != "" {
		t.hang("  mind: ", "    ", e.Folklore)
	}
	t.raw("\n  what to do:\n")
	for _, a := range e.Advice {
		if when := a.When(); when != "" {
			t.raw("    (" + when + ")\n")
		}
		t.advice(a)
	}
	return b.String(), true
}
