package formats

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// digest writes readings as "A=… maxR=… step=…", in whole bytes, so that a
// claim about a line fits beside it.
func digest(readings []monitor.LogReading) string {
	m := merged(readings)
	names := map[string]string{
		"allocated_bytes": "A", "reserved_bytes": "R", "max_allocated_bytes": "maxA", "max_reserved_bytes": "maxR",
		"device_used_bytes": "used", "device_total_bytes": "total",
	}
	var parts []string
	for k, v := range m {
		if n, ok := names[k]; ok {
			k = n
		}
		switch x := v.(type) {
		case float64:
			parts = append(parts, k+"="+strconv.FormatFloat(x, 'f', -1, 64))
		case map[string]any:
			parts = append(parts, "oom")
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// claim turns "A=1.5Gi step=3" into the form of digest: Ki, Mi, Gi are powers
// of 1024; M and G of 1000.
func claim(t *testing.T, s string) string {
	t.Helper()
	parts := strings.Fields(s)
	for i, p := range parts {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			continue
		}
		scale := 1.0
		for _, u := range []struct {
			suffix string
			scale  float64
		}{{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"M", 1e6}, {"G", 1e9}} {
			if v, ok := strings.CutSuffix(value, u.suffix); ok {
				value, scale = v, u.scale
				break
			}
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("bad claim %q: %v", p, err)
		}
		if scale > 1 {
			v = math.Round(v * scale)
		}
		parts[i] = name + "=" + strconv.FormatFloat(v, 'f', -1, 64)
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// bases returns how the units of memory readings were settled.
func bases(readings []monitor.LogReading) string {
	var out []string
	for _, r := range readings {
		if r.Kind == monitor.LogMemory {
			out = append(out, string(r.Unit))
		}
	}
	return fmt.Sprint(out)
}

// example is a text in the format of a producer with what is read out of it.
type example struct {
	producer, text, want string
}

// examples are our own lines in the formats of the world: the seeds of the
// mutation and fuzz tests too.
func examples() []example {
	return concatExamples(pytorchExamples, trainerExamples, visionExamples, otherExamples, userExamples, fresh)
}

func concatExamples(all ...[]example) []example {
	var out []example
	for _, e := range all {
		out = append(out, e...)
	}
	return out
}

func TestEveryFormatIsRead(t *testing.T) {
	for _, e := range examples() {
		got, want := digest(parseAll(e.text)), claim(t, e.want)
		if got != want {
			t.Errorf("%s\n  %q\n  got  %s\n  want %s", e.producer, e.text, got, want)
		}
	}
}

func TestEveryFrameHasAnExample(t *testing.T) {
	read := map[string]bool{}
	for _, e := range examples() {
		for _, r := range parseAll(e.text) {
			read[r.Producer] = true
		}
	}
	for _, f := range frames {
		if !f.silent && !read[f.producer] {
			t.Errorf("no example is read by the frame of %s", f.producer)
		}
	}
}

func TestEveryFrameIsFoundByItsAnchor(t *testing.T) {
	for _, e := range examples() {
		for _, l := range strings.Split(e.text, "\n") {
			want := plain
			for i := range frames {
				if frames[i].fits(l) {
					want = &frames[i]
					break
				}
			}
			if got := allFrames.survey(l, hintsIn(l)).frame; got.producer != want.producer {
				t.Errorf("%q: found %q, want %q", l, got.producer, want.producer)
			}
		}
	}
}
