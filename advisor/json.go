package advisor

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// jsonReport is the object of `vramscope advise --json`.
type jsonReport struct {
	Format   int           `json:"format"`
	Findings []jsonFinding `json:"findings"`
	Sources  []jsonSource  `json:"sources"`
}

type jsonFinding struct {
	ID         string         `json:"id"`
	Severity   string         `json:"severity"`
	Confidence string         `json:"confidence"`
	State      string         `json:"state"` // active or resolved
	Ended      bool           `json:"ended"` // its process has ended, which is why it is resolved
	Title      string         `json:"title"`
	GPU        *int           `json:"gpu"`
	PID        *int           `json:"pid"`
	Rank       *int           `json:"rank"`
	From       *string        `json:"from"`
	To         *string        `json:"to"`
	Evidence   []jsonEvidence `json:"evidence"`
	Advice     []string       `json:"advice"`
	Confirm    string         `json:"confirm"`
	Refute     string         `json:"refute"`
}

type jsonEvidence struct {
	Name   string  `json:"name"`
	Value  any     `json:"value"` // bytes and counts as whole numbers
	Unit   string  `json:"unit"`
	From   *string `json:"from,omitempty"`
	To     *string `json:"to,omitempty"`
	Source string  `json:"source,omitempty"`
}

type jsonSource struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	AgeMS  *int64 `json:"age_ms"`
}

// WriteJSON writes findings and sources as one object, format 1: times in
// RFC 3339, bytes as integers, null for what is not known. Ages of sources
// count from now, which is the time of the newest sample. The error is the
// writer's.
func WriteJSON(w io.Writer, found []Finding, sources []monitor.SourceStatus, now time.Time) error {
	r := jsonReport{Format: 1, Findings: []jsonFinding{}, Sources: []jsonSource{}}
	for _, f := range found {
		r.Findings = append(r.Findings, jsonOf(f))
	}
	for _, s := range sources {
		row := jsonSource{Name: s.Name, State: s.State.String(), Reason: s.Reason}
		if !s.GoodAt.IsZero() && !now.IsZero() {
			age := max(0, now.Sub(s.GoodAt).Milliseconds())
			row.AgeMS = &age
		}
		r.Sources = append(r.Sources, row)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func jsonOf(f Finding) jsonFinding {
	out := jsonFinding{ID: string(f.ID), Severity: f.Severity.String(), Confidence: f.Confidence.String(), State: f.State.json(), Ended: f.State == Ended,
		Title: f.Title, GPU: f.GPU, PID: f.PID, Rank: f.Rank, From: stamp(f.From), To: stamp(f.To),
		Evidence: []jsonEvidence{}, Advice: []string{}, Confirm: f.Confirm, Refute: f.Refute}
	for _, e := range f.Evidence {
		out.Evidence = append(out.Evidence, jsonEvidence{Name: e.Name, Value: e.jsonValue(), Unit: string(e.Unit), From: stamp(e.From), To: stamp(e.To), Source: e.Source})
	}
	for _, a := range f.Advice {
		out.Advice = append(out.Advice, a.String())
	}
	return out
}

// json returns the state as it stands in JSON: what ended does not hold any more
// either.
func (s State) json() string {
	if s == Active {
		return "active"
	}
	return "resolved"
}

func (e Evidence) jsonValue() any {
	switch {
	case math.IsNaN(e.Value) || math.IsInf(e.Value, 0):
		return nil
	case (e.Unit == Bytes || e.Unit == Count) && math.Abs(e.Value) < 1<<62:
		return int64(math.Round(e.Value))
	}
	return e.Value
}

func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.Format(time.RFC3339Nano)
	return &s
}
