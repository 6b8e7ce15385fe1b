package record

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// onceObject is the object of `vramscope once --json`.
type onceObject struct {
	Format  int64         `json:"format"`
	Time    string        `json:"time"`
	Host    string        `json:"host"`
	Driver  field[string] `json:"driver"`
	GPUs    []gpuRow      `json:"gpus"`
	Procs   []procRow     `json:"procs"`
	Torch   []torchRow    `json:"torch"`
	Sources []sourceRow   `json:"sources"`
}

// EncodeOnce writes a sample as one indented JSON object, the output of
// `vramscope once --json` (docs/schema/once.schema.json): every key there,
// null for unknown, with the reason beside it. Scrub is applied to command
// lines and environment values; nil leaves them as they are.
func EncodeOnce(w io.Writer, s monitor.Sample, scrub func(string) string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(Object(s, scrub)); err != nil {
		return fmt.Errorf("write the sample as JSON: %w", err)
	}
	return nil
}

// Object returns the value that EncodeOnce writes, for encoding/json.
func Object(s monitor.Sample, scrub func(string) string) any {
	scrub = orIdentity(scrub)
	return onceObject{
		Format: Format, Time: s.Time.Format(time.RFC3339Nano), Host: s.Host, Driver: word(full, s.Driver),
		GPUs:    rowsOf(s.GPUs, func(g *monitor.GPU) gpuRow { return gpuRowOf(full, s.Time, g) }),
		Procs:   onceProcs(&s, scrub),
		Torch:   rowsOf(s.Torch, func(a *monitor.Allocator) torchRow { return torchRowOf(full, s.Time, a) }),
		Sources: rowsOf(s.Sources, func(st *monitor.SourceStatus) sourceRow { return sourceRowOf(s.Time, st) }),
	}
}

// onceProcs joins what processes hold with what is known of them; processes
// that hold nothing come after.
func onceProcs(s *monitor.Sample, scrub func(string) string) []procRow {
	rows := make([]procRow, 0, len(s.Holders)+len(s.Processes))
	holds := map[int]bool{}
	for i := range s.Holders {
		h := &s.Holders[i]
		row := procRowOf(full, h)
		var facts monitor.Process
		if h.InNamespace {
			holds[h.PID] = true
			facts, _ = s.Process(h.PID)
		}
		row.with(&facts, scrub)
		rows = append(rows, row)
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if holds[p.PID] {
			continue
		}
		row := procRow{PID: p.PID, GPU: field[int64]{is: null}, Used: field[int64]{is: null}, MIGInstance: field[int64]{is: null},
			Why: "the driver lists no memory of this process"}
		row.with(p, scrub)
		rows = append(rows, row)
	}
	return rows
}

func (r *procRow) with(p *monitor.Process, scrub func(string) string) {
	r.processRow = processRowOf(full, p, scrub)
	r.hostFigures = hostFiguresOf(full, p)
	if r.Name.value == "" {
		r.Name = word(full, p.Name)
	}
}

func orIdentity(scrub func(string) string) func(string) string {
	if scrub == nil {
		return func(text string) string { return text }
	}
	return scrub
}
