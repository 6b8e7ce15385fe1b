package formats

import (
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Config is what a parser is told beforehand. The zero value is right for a
// log of which nothing is known.
type Config struct {
	// Rank is the rank that the log is known to belong to, as from the name of
	// torchrun's per-rank directories; a rank in a line wins over it.
	Rank monitor.Reading[int]
	// Custom is the user's own format, tried on every line before all others;
	// nil for none.
	Custom *Custom
}

// Parser reads the lines of one log in their order. It carries what earlier
// lines have shown: the divisor behind a bare "GB", an open table, an
// out-of-memory text whose end has not come, the last step. Not safe for use
// by several goroutines.
type Parser struct {
	cfg    Config
	slow   bool // take every line for one that may have a size: what tests compare with
	frames *catalogue
	div    divisors
	table  *table
	oom    *oomText
	csv    csvTable
	seen   failures
	ctx    context
	phases phases
	note   notes
	count  int64 // lines that mattered so far: what distances are counted in
	used   bool
	kept   bool // used, and nothing of it read
	told   bool // used for more than progress

	text      string // the line being read, clean
	first     look
	lineplace place
	linestep  progress
	cleanBuf  []byte
	lowBuf    []byte
	scratch   [32]byte
	toks      []token
	cells     []token
	words     []labelWord
	labels    []byte
	figs      []figure
	maybe     []figure
	later     []naming
	devices   []int
	deviceIDs []int
	draft     draft
	survey    survey
	heading   heading
	unitLast  int  // the number that a unit behind several stands at, or 0
	delta     bool // the rest of the line is about differences
	// namelessPeak says that the line has a peak of memory of which it does not
	// say the counter.
	namelessPeak bool
	out          []monitor.LogReading
}

// NewParser returns a parser for one log.
func NewParser(cfg Config) *Parser {
	return &Parser{cfg: cfg, frames: allFrames}
}

// Line reads the next line and returns what is known with it: usually one
// reading or none, more when a text of earlier lines comes to its end or the
// line speaks of several devices. The slice is the parser's own and holds until
// the next call; nothing of the line's text is kept beyond it. Figures are in
// bytes; a line with '\r' is read as the lines that a terminal would have shown
// one over the other.
func (p *Parser) Line(line monitor.LogLine) []monitor.LogReading {
	p.out, p.used, p.told = p.out[:0], false, false
	first := lookAt(line.Text)
	if first.hints() == 0 && p.idle() {
		return nil
	}
	i := strings.IndexByte(line.Text, '\r')
	if i < 0 && len(line.Text) <= maxLine {
		p.one(&line, line.Text, first)
		return p.out
	}
	for rest := line.Text; ; i = strings.IndexByte(rest, '\r') {
		piece := rest
		if i >= 0 {
			piece, rest = rest[:i], rest[i+1:]
		}
		if piece = piece[:min(len(piece), maxLine)]; piece != "" || i < 0 {
			p.one(&line, piece, lookAt(piece))
		}
		if i < 0 {
			return p.out
		}
	}
}

// idle reports whether no text of earlier lines is open, and no format of the
// user's own has to be tried.
func (p *Parser) idle() bool {
	return p.table == nil && p.oom == nil && !p.csv.open && p.cfg.Custom == nil
}

// Used reports whether the last line mattered: it gave a reading, belongs to a
// text that is still open, or is the header of lines to come. A recording
// needs these lines and no others to read the same.
func (p *Parser) Used() bool { return p.used }

// Unread reports whether the line that Line was called with last looks like
// memory and no figure was read from it: nothing of it, or its step alone.
// `vramscope parse --unknown` lists these.
func (p *Parser) Unread(text string) bool { return !p.told && Looks(text) }

// Flush ends what is open, at the end of a log or when it has not grown for
// long, and returns the readings of it. The slice is the parser's own.
func (p *Parser) Flush(time.Time) []monitor.LogReading {
	p.out = p.out[:0]
	p.closeOOM()
	p.closeTable()
	return p.out
}

// one reads one line without '\r', with what the first look at it tells.
func (p *Parser) one(line *monitor.LogLine, s string, first look) {
	h := first.hints()
	if h == 0 && p.idle() {
		return
	}
	before, earlier := len(p.out), p.used
	p.used, p.kept = false, false
	p.read(line, s, h, first)
	if len(p.out) > before || p.used || p.kept {
		p.told = p.told || p.used && !p.linestep.unfit
		for i := before; i < len(p.out); i++ {
			p.told = p.told || p.out[i].Kind != monitor.LogProgress
		}
		p.used = true
		p.count++
		return
	}
	p.used = earlier
}

func (p *Parser) read(line *monitor.LogLine, s string, h hints, first look) {
	p.text, p.cleanBuf = clean(s, p.cleanBuf)
	if p.first = first; len(p.text) != len(s) {
		p.first = lookAt(p.text)
	}
	p.lineplace, p.linestep = place{}, progress{}
	if p.cfg.Custom != nil && p.custom(line, h) {
		return
	}
	p.survey = survey{frame: plain}
	open := p.table != nil || p.oom != nil || p.csv.open
	quiet := !open && (h&hintsOfFigures == 0 || h&hintsOfFigures == hintSized && p.sizeless())
	if !quiet || h&hintPhase != 0 {
		p.survey = p.frames.survey(p.text, h)
	}
	if quiet || !open && !p.survey.ofFigures() && p.sizeless() {
		p.quietLine(line, h)
		return
	}
	if h&(hintProgress|hintsOfFigures) != 0 {
		p.linestep.scan(p.text, p.first)
	}
	p.announce(h)
	p.toks = tokenize(p.text, p.toks)
	p.lineplace = p.places()
	if p.failureLine(line) || p.tableLine(line, h) {
		p.used = true
		return
	}
	if h&hintsOfFigures != 0 && p.memoryLine(line) {
		return
	}
	p.progressLine(line)
}

// sizeless reports whether the line has nothing that can be a figure where no
// producer is known, and is no heading of figures.
func (p *Parser) sizeless() bool {
	return !p.slow && p.div.raw.form == unitNone && !isHeading(p.text) && !endsWithAPI(p.text) && !hasSize(p.text, p.first.words, p.first.where)
}

// quietLine takes a line that says how far the job is, at most.
func (p *Parser) quietLine(line *monitor.LogLine, h hints) {
	if h&hintMemory != 0 && p.csvHeader() {
		p.used = true
		return
	}
	if h&(hintProgress|hintsOfFigures) != 0 {
		p.linestep.scan(p.text, p.first)
	}
	p.announce(h)
	if p.linestep.any() {
		if h&hintsOfFigures == 0 {
			if p.first.words&namesOfRanks != 0 {
				p.lineplace = quickRank(p.text)
			}
		} else {
			p.toks = tokenize(p.text, p.toks)
			p.lineplace = p.places()
		}
	}
	p.progressLine(line)
}

// failureLine takes lines about failed allocations.
func (p *Parser) failureLine(line *monitor.LogLine) bool {
	if p.oom != nil && !p.oom.ends(p.text) {
		if p.oom.extend(p.text) {
			if p.oom.done {
				p.closeOOM()
			}
			return true
		}
		p.used = true // it counts as a line that did not go on with the text
		if p.oom.misses > maxOOMMisses {
			p.closeOOM()
		}
	}
	if p.oomStart(line) {
		return true
	}
	if !p.survey.signs.any() {
		return false
	}
	r, ok := p.failure(line)
	if ok {
		p.fail(r)
	}
	return ok
}

// tableLine takes rows of memory_summary tables and CSV files.
func (p *Parser) tableLine(line *monitor.LogLine, h hints) bool {
	if (h&(hintMemory|hintSized) != 0 || p.table != nil) && p.summaryLine(line) {
		return true
	}
	return p.csvLine(line, h)
}

// memoryLine takes lines with figures.
func (p *Parser) memoryLine(line *monitor.LogLine) bool {
	f := p.survey.frame
	if f.silent {
		return false
	}
	p.words, p.labels, p.figs = p.words[:0], p.labels[:0], p.figs[:0]
	p.maybe, p.later = p.maybe[:0], p.later[:0]
	p.figures(f)
	if len(p.figs) == 0 {
		p.noteHeading()
		if f.then == nil {
			return false
		}
	}
	groups := 1
	for i := range p.figs {
		if f.divisor == 0 {
			p.div.weigh(&p.figs[i])
		}
		groups = max(groups, p.figs[i].group)
	}
	found := false
	for g := 1; g <= min(groups, maxDevice); g++ {
		d := p.measure(f, g)
		if !d.any() {
			continue
		}
		d.place, d.step = p.lineplace, p.linestep
		if groups > 1 && g <= len(p.devices) {
			d.place.gpu, d.place.hasGPU = p.deviceIDs[g-1], true
		}
		p.ctx.fill(d, p.count)
		p.emitDraft(d, line)
		found = true
	}
	if found && p.ctx.note(p.linestep, p.lineplace, p.count) {
		if r := &p.out[len(p.out)-1]; r.Phase == "" {
			r.Phase = "epoch"
		}
	}
	return found
}

// progressLine takes lines that tell how far the job is.
func (p *Parser) progressLine(line *monitor.LogLine) {
	if p.linestep.unfit {
		p.ctx.cut()
		p.used = true
	}
	if !p.linestep.any() {
		return
	}
	p.linestep.rate, p.linestep.hasRate = rateOf(p.text)
	if p.ctx.note(p.linestep, p.lineplace, p.count) && p.linestep.phase == "" {
		p.linestep.phase = "epoch"
	}
	p.out = append(p.out, monitor.LogReading{})
	r := &p.out[len(p.out)-1]
	r.Time, r.Source, r.PID, r.Line = line.Time, line.Source, line.PID, line.Number
	r.Kind, r.Unit = monitor.LogProgress, monitor.UnitStated
	p.lineplace.into(r)
	p.linestep.into(r)
	if !r.Rank.Known() && p.cfg.Rank.Known() {
		r.Rank = p.cfg.Rank
	}
}

// emit adds a reading to what the line gives.
func (p *Parser) emit(r monitor.LogReading) {
	if !r.Rank.Known() && p.cfg.Rank.Known() {
		r.Rank = p.cfg.Rank
	}
	p.out = append(p.out, r)
}

// emitDraft adds the reading of a draft.
func (p *Parser) emitDraft(d *draft, line *monitor.LogLine) {
	p.out = append(p.out, monitor.LogReading{})
	r := &p.out[len(p.out)-1]
	d.fill(r, line)
	if !r.Rank.Known() && p.cfg.Rank.Known() {
		r.Rank = p.cfg.Rank
	}
}

// closeOOM gives the event of the open out-of-memory text.
func (p *Parser) closeOOM() {
	t := p.oom
	p.oom = nil
	if t == nil || t.tentative {
		return
	}
	p.fail(t.reading())
}

// fail gives an event unless it is a repetition of one: the same text from the
// same place, with no step made in between.
func (p *Parser) fail(r monitor.LogReading) {
	p.ctx.cut()
	if c, ok := r.OOM.TotalBytes.Get(); ok {
		p.div.learn(c)
	}
	if p.seen.repeats(r, p.lineplace, p.ctx.moved) {
		p.used = true
		return
	}
	p.emit(r)
}
