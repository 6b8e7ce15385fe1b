package advisor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
)

// variant changes what is known of a recording.
type variant struct {
	name  string
	apply func([]monitor.Sample) []monitor.Sample
	// least is how many of the scored recordings must still come out right.
	least int
	alone bool // the log and nothing else, without times
}

func variants() []variant {
	return []variant{
		{"as recorded", func(s []monitor.Sample) []monitor.Sample { return s }, 27, false},
		{"without torch rows", withoutTorch, 25, false},
		{"without the log", withoutLog, 26, false},
		{"one sample a second", everySecond, 25, false},
		{"on a 24 GiB card", func(s []monitor.Sample) []monitor.Sample { return scaled(s, 24.0/140.4) }, 27, false},
		{"from the middle", func(s []monitor.Sample) []monitor.Sample { return s[len(s)/2:] }, 27, false},
		{"the log alone", func(s []monitor.Sample) []monitor.Sample { return s }, 0, true},
	}
}

func withoutTorch(in []monitor.Sample) []monitor.Sample {
	return each(in, func(s *monitor.Sample) { s.Torch = nil })
}

func withoutLog(in []monitor.Sample) []monitor.Sample {
	return each(in, func(s *monitor.Sample) { s.Lines, s.Readings = nil, nil })
}

func each(in []monitor.Sample, f func(*monitor.Sample)) []monitor.Sample {
	out := slices.Clone(in)
	for i := range out {
		f(&out[i])
	}
	return out
}

// everySecond keeps one sample a second; the log of the others goes to the
// next that is kept.
func everySecond(in []monitor.Sample) []monitor.Sample {
	var out []monitor.Sample
	var lines []monitor.LogLine
	var readings []monitor.LogReading
	for i, s := range in {
		lines, readings = append(lines, s.Lines...), append(readings, s.Readings...)
		if len(out) > 0 && s.Time.Sub(out[len(out)-1].Time) < time.Second-20*time.Millisecond && i < len(in)-1 {
			continue
		}
		s.Lines, s.Readings = lines, readings
		lines, readings = nil, nil
		out = append(out, s)
	}
	return out
}

func TestTheRightCauseComesFirstInTheRecordings(t *testing.T) {
	entries := manifest(t)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			right, scored, alarms := 0, 0, 0
			var table strings.Builder
			w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
			for _, e := range entries {
				in := inputOf(v.apply(samplesOf(t, shared(t, "recordings", e.File))))
				if v.alone {
					in = logAlone(in.Lines)
				}
				found := advisor.Advise(in)
				verdict := judge(e, found)
				switch {
				case !e.Scored:
				case verdict == "ok":
					right, scored = right+1, scored+1
				default:
					scored++
				}
				if verdict == "FALSE ALARM" {
					alarms++
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.File, strings.Join(e.Expect, " "), verdict, list(found, 4))
			}
			w.Flush()
			t.Logf("%s: %d of %d right, %d false alarms\n%s", v.name, right, scored, alarms, table.String())
			if alarms > 0 {
				t.Errorf("%d false alarms on healthy recordings", alarms)
			}
			if right < v.least {
				t.Errorf("%d of %d right, want at least %d", right, scored, v.least)
			}
		})
	}
}

// logAlone is a log file at rest: lines without times and nothing else.
func logAlone(lines []monitor.LogLine) advisor.Input {
	var in advisor.Input
	p := formats.NewParser(formats.Config{})
	for i, l := range lines {
		l = monitor.LogLine{Source: "train.log", Number: int64(i + 1), Text: l.Text}
		in.Lines = append(in.Lines, l)
		in.Readings = append(in.Readings, slices.Clone(p.Line(l))...)
	}
	in.Readings = append(in.Readings, p.Flush(time.Time{})...)
	return in
}

// judge says whether the first finding is right; a healthy recording is right
// with nothing at warning or above.
func judge(e manifestEntry, found []advisor.Finding) string {
	if len(e.Expect) == 0 {
		for _, f := range found {
			if f.Severity >= advisor.Warning {
				return "FALSE ALARM"
			}
		}
		return "ok"
	}
	if len(found) == 0 {
		return "nothing"
	}
	first := string(found[0].ID)
	if slices.Contains(e.Expect, first) || slices.Contains(e.AlsoOK, first) {
		return "ok"
	}
	return "WRONG"
}

func list(found []advisor.Finding, most int) string {
	var parts []string
	for _, f := range found[:min(len(found), most)] {
		parts = append(parts, fmt.Sprintf("%s(%.1s/%.1s)", f.ID, f.Severity, f.Confidence))
	}
	return strings.Join(parts, " ")
}
