package advisor

import (
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/clean"
)

// words are the figures that go into a claim, by the names in its template.
type words map[string]string

// draft is a finding while a rule fills it in.
type draft struct {
	Finding
	s      *scene
	tags   []catalog.Tag
	words  words   // the figures of its sentence and of its advice
	job    *job    // nil when it is about none
	logged bool    // the figures are from the log although others were read
	text   bool    // they are from the text of an error
	ranks  []int   // that tell of the failure, the first first
	rise   float64 // of a growth, in bytes; of the cache, above what was needed
}

// draft starts a finding of that id, whose sentence is the catalogue's claim of
// that name with the words filled in.
func (s *scene) draft(id catalog.ID, claim string, w words) *draft {
	d := &draft{s: s, Finding: Finding{ID: id}}
	d.say(claim, w)
	return d
}

// say sets the sentence of a draft.
func (d *draft) say(claim string, w words) {
	e := catalog.Get(d.ID)
	for name, word := range w { // names of processes and the like
		w[name] = clean.Line(word)
	}
	if d.words == nil {
		d.words = words{}
	}
	d.know(w)
	d.Title, d.Past = e.Told(claim, d.s.in.Over, w), e.Told(claim, true, w)
}

// grade sets severity and confidence.
func (d *draft) grade(s Severity, c Confidence) *draft {
	d.Severity, d.Confidence = s, c
	return d
}

// span sets when it held.
func (d *draft) span(from, to float64) *draft {
	d.From, d.To = d.s.time(from), d.s.time(to)
	return d
}

// on says which job it is about.
func (d *draft) on(j *job) *draft {
	if j == nil {
		return d
	}
	d.job = j
	d.onGPU(j.gpu)
	if j.holder != nil {
		d.pid(j.key.PID)
	}
	d.Rank = j.rank
	if d.tags = append(d.tags, j.tags()...); j.holder == nil && j.log != nil && j.log.pid != 0 {
		d.pid(j.log.pid)
	}
	return d
}

func (d *draft) onGPU(g *gpu) *draft {
	if g != nil {
		index := g.index
		d.GPU, d.GPUID = &index, g.id
	}
	return d
}

func (d *draft) pid(pid int) *draft {
	d.PID = &pid
	if d.words["pid"] == "" {
		d.words["pid"] = number(pid)
	}
	return d
}

// tag adds circumstances that some advice depends on.
func (d *draft) tag(tags ...catalog.Tag) *draft {
	d.tags = append(d.tags, tags...)
	return d
}

// bytes adds a figure in bytes, unless it is not known.
func (d *draft) bytes(name string, v float64) *draft { return d.figure(name, v, Bytes) }

// figure adds evidence, unless it is not known.
func (d *draft) figure(name string, v float64, u Unit) *draft {
	if has(v) {
		d.Evidence = append(d.Evidence, Evidence{Name: name, Value: v, Unit: u})
	}
	return d
}

// during adds evidence with the time it was taken from.
func (d *draft) during(name string, v float64, u Unit, from, to float64) *draft {
	if has(v) {
		d.Evidence = append(d.Evidence, Evidence{Name: name, Value: v, Unit: u, From: d.s.time(from), To: d.s.time(to)})
	}
	return d
}
