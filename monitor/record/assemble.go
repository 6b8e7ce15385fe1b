package record

import (
	"encoding/json"
	"fmt"

	"github.com/vramscope/vramscope/monitor"
)

func (l *loader) sample(line []byte) error {
	var row sampleRow
	if err := json.Unmarshal(line, &row); err != nil {
		return fmt.Errorf("sample: %w", jsonError(err))
	}
	return l.assemble(&row)
}

// assemble makes a sample of its row, of which it keeps nothing.
func (l *loader) assemble(row *sampleRow) error {
	if l.have && !l.joined && !l.at(row.T).After(l.last.Time) {
		l.unordered++
	}
	l.joined = false
	if err := l.handOn(); err != nil {
		return err
	}
	l.seq++
	at := l.at(row.T)
	s := monitor.Sample{Seq: l.seq, Time: at, Host: l.host, Driver: l.driver,
		Lines: l.pending.lines, Readings: l.pending.readings, Marks: l.pending.marks}
	l.pending = pending{}
	for i := range row.GPUs {
		g := &row.GPUs[i]
		g.complete(l.gpus[g.Index])
		s.GPUs = append(s.GPUs, g.gpu(at))
	}
	for i := range row.Procs {
		p := &row.Procs[i]
		if gpu, ok := wholeOf(p.GPU).Get(); ok {
			s.Holders = append(s.Holders, p.holder(gpu))
		}
	}
	for i := range row.Torch {
		s.Torch = append(s.Torch, row.Torch[i].allocator(at))
	}
	s.Processes = l.processes(row, &s)
	l.joinStarts(&s)
	if row.Sources != nil {
		l.sources, l.since = *row.Sources, at
	}
	for i := range l.sources {
		st := &l.sources[i]
		when := l.since
		if st.State == monitor.StateOK.String() {
			when = at // it went on answering
		}
		s.Sources = append(s.Sources, st.status(when))
	}
	l.rec.SampleCount++
	l.last, l.have = s, true
	return nil
}

// complete takes from the header what the row does not say.
func (r *gpuRow) complete(head headerGPU) {
	if r.UUID.is == absent {
		r.UUID = head.UUID
	}
	if r.Name.is == absent {
		r.Name = head.Name
	}
	if r.Total.is == absent {
		r.Total = head.Total
	}
}

// processes lists the processes of a sample: those of its host list, else
// those that its rows name.
func (l *loader) processes(row *sampleRow, s *monitor.Sample) []monitor.Process {
	var out []monitor.Process
	if row.Host != nil {
		for i := range *row.Host {
			h := &(*row.Host)[i]
			p, ok := l.facts[h.PID]
			if !ok || h.Start.is == present && p.StartTicks != ticks(h.Start) {
				p = monitor.Process{PID: h.PID, StartTicks: ticks(h.Start)}
			}
			h.onto(&p)
			out = append(out, p)
		}
		return out
	}
	seen := map[int]bool{}
	add := func(pid int, name string) {
		if seen[pid] || pid <= 0 {
			return
		}
		seen[pid] = true
		p, ok := l.facts[pid]
		if !ok {
			p = monitor.Process{PID: pid, Name: name}
		}
		out = append(out, p)
	}
	for i := range s.Holders {
		if s.Holders[i].InNamespace {
			add(s.Holders[i].PID, s.Holders[i].Name)
		}
	}
	for i := range s.Torch {
		add(s.Torch[i].PID, "")
	}
	return out
}

// joinStarts gives allocators written without a start that of their process,
// so that both have the same key.
func (l *loader) joinStarts(s *monitor.Sample) {
	for i := range s.Torch {
		a := &s.Torch[i]
		if a.StartTicks != 0 {
			continue
		}
		if p, ok := s.Process(a.PID); ok {
			a.StartTicks = p.StartTicks
		}
	}
}

func (l *loader) log(line []byte) error {
	var row logRow
	if err := json.Unmarshal(line, &row); err != nil {
		return fmt.Errorf("log: %w", jsonError(err))
	}
	text := monitor.LogLine{Time: l.at(row.T), Source: row.Src, PID: row.PID, Number: row.Line, Text: row.Text}
	if len(l.pending.lines) >= maxPendingLines {
		return fmt.Errorf("more than %d log lines between two samples", maxPendingLines)
	}
	l.rec.LineCount++
	l.pending.lines = append(l.pending.lines, text)
	if l.parse != nil {
		l.pending.readings = append(l.pending.readings, l.parse.Line(text)...)
	}
	return nil
}

func (l *loader) mark(line []byte) error {
	var row markRow
	if err := json.Unmarshal(line, &row); err != nil {
		return fmt.Errorf("mark: %w", jsonError(err))
	}
	if len(l.pending.marks) >= maxPendingLines {
		return fmt.Errorf("more than %d marks between two samples", maxPendingLines)
	}
	l.pending.marks = append(l.pending.marks, monitor.Mark{Time: l.at(row.T), Text: row.Text})
	return nil
}

// maxFacts bounds the processes whose facts are remembered while reading.
const maxFacts = 10_000

func (l *loader) proc(line []byte) error {
	var row factsRow
	if err := json.Unmarshal(line, &row); err != nil {
		return fmt.Errorf("proc: %w", jsonError(err))
	}
	if len(l.facts) >= maxFacts {
		clear(l.facts)
		l.rec.Notes = append(l.rec.Notes, fmt.Sprintf("more than %d processes: the facts of earlier ones were forgotten", maxFacts))
	}
	p := row.process(row.PID, row.Name.value)
	if row.State.is == present {
		p.State = row.State.value
	}
	l.facts[row.PID] = p
	return nil
}

// handOn gives the sample read before to the caller.
func (l *loader) handOn() error {
	if !l.have {
		return nil
	}
	l.have = false
	return l.each(l.last)
}

// finish hands on the last sample with whatever came after it. A recording of
// log lines alone becomes one sample.
func (l *loader) finish() error {
	if l.unordered > 0 {
		l.rec.Notes = append(l.rec.Notes, fmt.Sprintf("%d of %d samples are not later than the one before; what needs time cannot be judged there", l.unordered, l.rec.SampleCount))
	}
	rest := l.pending
	if !l.have && len(rest.lines)+len(rest.marks) > 0 {
		l.last, l.have = monitor.Sample{Seq: 1, Time: l.started, Host: l.host, Driver: l.driver}, true
		if n := len(rest.lines); n > 0 {
			l.last.Time = rest.lines[n-1].Time
		}
	}
	l.last.Lines = append(l.last.Lines, rest.lines...)
	l.last.Readings = append(l.last.Readings, rest.readings...)
	if l.parse != nil {
		l.last.Readings = append(l.last.Readings, l.parse.Flush(l.last.Time)...)
	}
	l.last.Marks = append(l.last.Marks, rest.marks...)
	return l.handOn()
}
