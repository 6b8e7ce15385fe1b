package formats

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// corpusRow is a row of corpus/log-lines.jsonl.
type corpusRow struct {
	ID       string         `json:"id"`
	Producer string         `json:"producer"`
	Kind     string         `json:"kind"`
	Line     string         `json:"line"`
	Expect   map[string]any `json:"expect"`
	Note     string         `json:"note"`
}

// corpus reads the rows where they lie; without VRAMSCOPE_SHARED the test is
// skipped.
func corpus(t testing.TB) []corpusRow {
	t.Helper()
	dir := os.Getenv("VRAMSCOPE_SHARED")
	if dir == "" {
		t.Skip("VRAMSCOPE_SHARED is not set: no corpus to read")
	}
	f, err := os.Open(filepath.Join(dir, "corpus", "log-lines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []corpusRow
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var r corpusRow
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// parseAll reads a whole text with a fresh parser.
func parseAll(text string) []monitor.LogReading { return parseWith(NewParser(Config{}), text) }

func parseWith(p *Parser, text string) []monitor.LogReading {
	var all []monitor.LogReading
	for i, l := range strings.Split(text, "\n") {
		all = append(all, p.Line(monitor.LogLine{Number: int64(i + 1), Text: l})...)
	}
	return append(all, p.Flush(time.Time{})...)
}

// merged is the state after the last line: the last value of every key.
func merged(readings []monitor.LogReading) map[string]any {
	m := map[string]any{}
	for _, r := range readings {
		if r.Kind == monitor.LogProgress {
			continue
		}
		b, _ := json.Marshal(JSON(r))
		one := map[string]any{}
		_ = json.Unmarshal(b, &one)
		for k, v := range one {
			m[k] = v
		}
	}
	for _, k := range []string{"line", "kind", "producer"} {
		delete(m, k)
	}
	return m
}

// rightness compares what was read with what a row expects.
func rightness(row corpusRow, readings []monitor.LogReading) (ok bool, why string) {
	got := merged(readings)
	unit, _ := got["unit"].(string)
	delete(got, "unit")
	var wrong []string
	for k, want := range row.Expect {
		if k == "oom" {
			wrong = append(wrong, oomDifference(want, got[k])...)
			continue
		}
		if !sameValue(got[k], want, unit) {
			wrong = append(wrong, fmt.Sprintf("%s: want %v got %v (%s)", k, want, got[k], unit))
		}
	}
	for k, v := range got {
		if _, ok := row.Expect[k]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: extra %v", k, v))
		}
	}
	sort.Strings(wrong)
	return len(wrong) == 0, strings.Join(wrong, "; ")
}

// sameValue accepts one byte of rounding, and either divisor when the reading
// says that its unit is not stated.
func sameValue(got, want any, unit string) bool {
	g, ok := got.(float64)
	w, ok2 := want.(float64)
	if !ok || !ok2 {
		return false
	}
	near := func(a, b float64) bool { return a-b <= 1 && b-a <= 1 }
	if near(g, w) {
		return true
	}
	if unit != string(monitor.UnitAssumed) {
		return false
	}
	for _, f := range []float64{1.073741824, 1.048576, 1.024} {
		if d := g*f - w; d <= 2 && d >= -2 {
			return true
		}
		if d := g/f - w; d <= 2 && d >= -2 {
			return true
		}
	}
	return false
}

func oomDifference(want, got any) []string {
	g, ok := got.(map[string]any)
	if !ok {
		return []string{"oom: no event"}
	}
	w, _ := want.(map[string]any)
	var wrong []string
	for k, v := range w {
		if k == "code" {
			continue
		}
		a, _ := json.Marshal(v)
		b, _ := json.Marshal(g[k])
		if string(a) != string(b) && !sameValue(g[k], v, "stated") {
			wrong = append(wrong, fmt.Sprintf("oom.%s: want %s got %s", k, a, b))
		}
	}
	for k, v := range g {
		if _, ok := w[k]; !ok {
			wrong = append(wrong, fmt.Sprintf("oom.%s: extra %v", k, v))
		}
	}
	return wrong
}

func TestTheCorpusIsUnderstood(t *testing.T) {
	type score struct{ right, all int }
	kinds, producers := map[string]*score{}, map[string]*score{}
	count := func(m map[string]*score, k string, ok bool) {
		if m[k] == nil {
			m[k] = &score{}
		}
		m[k].all++
		if ok {
			m[k].right++
		}
	}
	for _, row := range corpus(t) {
		readings := parseAll(row.Line)
		ok, why := rightness(row, readings)
		if row.Kind == "negative" {
			got := merged(readings)
			ok, why = len(got) == 0, fmt.Sprint(got)
		}
		count(kinds, row.Kind, ok)
		count(producers, row.Kind+" "+row.Producer, ok)
		if !ok {
			t.Logf("%s %s\n    %q\n    %s", row.Kind, row.ID, row.Line[:min(len(row.Line), 300)], why)
		}
	}
	for _, m := range []map[string]*score{kinds, producers} {
		keys := make([]string, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			t.Logf("%-60s %3d of %3d", k, m[k].right, m[k].all)
		}
	}
	for kind, want := range map[string]float64{"positive": 0.97, "oom": 0.97, "negative": 0.99} {
		if s := kinds[kind]; float64(s.right) < want*float64(s.all) {
			t.Errorf("%s: %d of %d are right, below %.0f %%", kind, s.right, s.all, 100*want)
		}
	}
}

func TestTheCorpusIsUnderstoodInEveryDress(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	rows := corpus(t)
	for _, d := range dresses() {
		right, all, loud, silent := 0, 0, 0, 0
		for _, row := range rows {
			text := dressed(r, d, row.Line)
			if row.Kind == "negative" {
				silent++
				if got := merged(parseAll(text)); len(got) > 0 {
					loud++
					t.Logf("%s: %s speaks: %v\n  %q", d.name, row.ID, got, text)
				}
				continue
			}
			if row.Kind == "ambiguous" || breaksDress(d, row.Line) {
				continue
			}
			if _, has := row.Expect["rank"]; d.rank != "" && !has {
				_, n, _ := strings.Cut(d.rank, "=")
				v, _ := strconv.ParseFloat(n, 64)
				row.Expect["rank"] = v
			} else if d.rank != "" {
				continue
			}
			all++
			ok, why := rightness(row, parseAll(text))
			delete(row.Expect, "rank_dress")
			if d.rank != "" {
				delete(row.Expect, "rank")
			}
			if ok {
				right++
				continue
			}
			t.Logf("%s: %s: %s\n  %q", d.name, row.ID, why, text[:min(len(text), 400)])
		}
		t.Logf("%-24s right %3d of %3d, silent %3d of %3d", d.name, right, all, silent-loud, silent)
		if float64(right) < 0.97*float64(all) || float64(loud) > 0.01*float64(silent) {
			t.Errorf("%s: %d of %d right, %d of %d speak", d.name, right, all, loud, silent)
		}
	}
}

// TestAnUnknownProducerIsOftenReadByItsWords leaves out the frames of each
// producer in turn: what is still right is read by the engine alone. It is a
// report; no frame is needed where it says so.
func TestAnUnknownProducerIsOftenReadByItsWords(t *testing.T) {
	rows := corpus(t)
	all, right, part, wrong, none := 0, 0, 0, 0, 0
	seen := map[string]bool{}
	for _, f := range frames {
		if f.silent || seen[f.producer] {
			continue
		}
		seen[f.producer] = true
		var rest []frame
		for _, g := range frames {
			if g.producer != f.producer {
				rest = append(rest, g)
			}
		}
		for _, row := range rows {
			if row.Kind != "positive" || !printedBy(row, f.producer) {
				continue
			}
			p := NewParser(Config{})
			p.frames = newCatalogue(rest)
			readings := parseWith(p, row.Line)
			ok, why := rightness(row, readings)
			all++
			switch {
			case ok:
				right++
			case len(merged(readings)) == 0:
				none++
			case strings.Contains(why, "extra") || strings.Count(why, "got ") > strings.Count(why, "got <nil>"):
				wrong++
				t.Logf("%s without its frame is wrong: %s", row.ID, why)
			default:
				part++
				t.Logf("%s without its frame: %s", row.ID, why)
			}
		}
	}
	t.Logf("of %d rows whose frame was left out: %d right, %d not read, %d partly, %d wrongly", all, right, none, part, wrong)
}

func printedBy(row corpusRow, producer string) bool {
	for _, r := range parseAll(row.Line) {
		if r.Producer == producer {
			return true
		}
	}
	return false
}

// otherNumbers replaces the figures of a row by others of the same form and
// says what is to be read then; false when a figure cannot be found in the text.
func otherNumbers(r *rand.Rand, row corpusRow) (corpusRow, bool) {
	out := corpusRow{ID: row.ID, Producer: row.Producer, Kind: row.Kind, Line: row.Line, Expect: map[string]any{}}
	number := regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
	changed := map[string]string{}
	mutate := func(want float64) (float64, bool) {
		for _, s := range number.FindAllString(row.Line, -1) {
			v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
			if err != nil || v == 0 || strings.HasSuffix(s, ",") {
				continue
			}
			for _, scale := range []float64{1, 1e3, 1e6, 1e9, 1 << 10, 1 << 20, 1 << 30} {
				if math.Abs(v*scale-want) > 1 {
					continue
				}
				if changed[s] == "" {
					b := []byte(s)
					for i, c := range b {
						if c >= '1' && c <= '9' {
							b[i] = byte('1' + r.IntN(9))
						}
					}
					changed[s] = string(b)
				}
				n, _ := strconv.ParseFloat(strings.ReplaceAll(changed[s], ",", ""), 64)
				return math.Round(n * scale), true
			}
		}
		return 0, false
	}
	for k, v := range row.Expect {
		want, isNumber := v.(float64)
		if !strings.HasSuffix(k, "_bytes") || !isNumber || want == 0 {
			out.Expect[k] = v
			continue
		}
		n, ok := mutate(want)
		if !ok {
			return out, false
		}
		out.Expect[k] = n
	}
	out.Line = number.ReplaceAllStringFunc(row.Line, func(s string) string {
		if c := changed[s]; c != "" {
			return c
		}
		return s
	})
	return out, len(changed) > 0
}

func TestTheCorpusIsUnderstoodWithOtherNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	right, all := 0, 0
	for _, row := range corpus(t) {
		if row.Kind != "positive" {
			continue
		}
		for range 10 {
			other, ok := otherNumbers(r, row)
			if !ok {
				break
			}
			all++
			ok, why := rightness(other, parseAll(other.Line))
			if ok {
				right++
				continue
			}
			t.Logf("%s: %s\n  %q", other.ID, why, other.Line[:min(len(other.Line), 300)])
		}
	}
	t.Logf("%d of %d are right", right, all)
	if float64(right) < 0.97*float64(all) {
		t.Errorf("%d of %d are right", right, all)
	}
}
