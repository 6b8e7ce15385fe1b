package overview

import (
	"slices"
	"strings"

	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/table"
)

// Overview is the screen's own state: which process is selected, how far the
// cards are scrolled, what is filtered.
type Overview struct {
	table      table.Table[procs.ID]
	firstCard  int // row of cards at the top
	filter     procs.Filter
	filterText string
	collapsed  procs.Collapsed
	joiner     procs.Joiner
	scratch    scratch

	// Where things stood in the last frame, for the mouse.
	tableY   int
	findingH int
	cards    []region
}

// New returns the screen with nothing selected.
func New() *Overview { return &Overview{} }

var _ screen.Screen = (*Overview)(nil)

// View draws the screen.
func (o *Overview) View(st *screen.State, width, height int) []string {
	if width <= 0 || height <= 0 {
		return nil
	}
	if st.Sample == nil {
		return chrome.Message(st, width, height, st.Waiting, st.Fault)
	}
	d := newDrawing(st, height, &o.scratch)
	p := o.processesOf(st)
	if len(d.cards) == 0 && p.listing.Total == 0 {
		lines := append([]string{chrome.Header(st, width)}, chrome.Message(st, width, height-1,
			"No GPU and no log to show.", d.awaited(), d.worst(), backFromEnd(st), "vramscope demo shows this screen on any machine.")...)
		return lines[:min(len(lines), height)]
	}
	plan := newPlan(width, height, len(d.cards))
	o.scrollCards(d, plan)
	lines := make([]string, 0, height)
	lines = append(lines, chrome.Header(st, width))
	o.findingH = plan.findingH
	lines = append(lines, d.findings(width, plan.findingH)...)
	o.cards = d.regions(plan, width, len(lines), o.firstCard)
	lines = append(lines, d.grid(plan, width, o.firstCard)...)
	if plan.chartH > 0 {
		lines = append(lines, d.chart(width, plan.chartH)...)
	}
	return o.lower(d, p, plan, lines, width, height)
}

// lower draws what lies below the cards: the processes and the foot.
func (o *Overview) lower(d *drawing, p *processes, plan plan, lines []string, width, height int) []string {
	p.set(&o.table, d.st.Settings)
	o.tableY = len(lines) + b2i(plan.rule)
	tableLines, window := o.table.Draw(d.th, width, plan.tableH, p.rows())
	on := shownOf(plan, o.firstCard, len(d.cards), window, o.table.Fit(width))
	on.filter, on.matched, on.total = o.filterText, p.listing.Matched, p.listing.Total
	on.assumed = assumedIn(p.listing.Lines, window)
	on.lines = d.st.Settings.Group || d.st.Settings.Tree
	if plan.rule {
		lines = append(lines, d.rule(width, on))
	}
	lines = append(lines, tableLines...)
	if why := o.whyEmpty(d.st, p); why != "" && len(tableLines) > 0 && len(lines) < height {
		for _, part := range line.Wrap(why, width-2, max(1, min(3, plan.tableH-len(tableLines))), d.th.Glyphs.Ellipsis) {
			lines = append(lines, d.style(theme.Dim).Paint("  "+part))
		}
	}
	text := d.th.Outside(o.sentence(d, p))
	if !plan.rule {
		text = joinParts(". ", on.missing(width, d.th.Glyphs.Ellipsis), text)
	}
	lines = append(lines, d.foot(plan, text, width, height-len(lines))...)
	return lines[:min(len(lines), height)]
}

// assumedIn tells whether ? stands behind a figure of the lines on screen.
func assumedIn(lines []procs.Line, on table.Window) bool {
	end := min(on.End, len(lines))
	return slices.ContainsFunc(lines[min(on.First, end):end], func(l procs.Line) bool {
		return l.Row.Assumed() && strings.HasSuffix(l.Row.Cell(procs.ColumnUsed, ""), "?")
	})
}

// whyEmpty says why there is no process in the table, where that is no matter
// of course.
func (o *Overview) whyEmpty(st *screen.State, p *processes) string {
	switch {
	case p.listing.Matched > 0:
	case o.filterText != "":
		return "No process matches " + st.Theme.Outside(o.filterText) + "."
	}
	if back := backFromEnd(st); back != "" && p.listing.Total == 0 {
		return "No process at the end. " + back
	}
	return ""
}

// backFromEnd says how to go back; empty where more is to come.
func backFromEnd(st *screen.State) string {
	if !chrome.AtEnd(st) {
		return ""
	}
	return chrome.WayBack(st)
}

// sentence returns what there is to say of the selected row, else of the worst
// problem.
func (o *Overview) sentence(d *drawing, p *processes) string {
	if d.st.Lost {
		return "The processes of " + d.st.At.Format("15:04:05") + " are no longer kept; these are those of " + d.st.Sample.Time.Format("15:04:05") + "."
	}
	if id, ok := o.table.Selected(); ok {
		if i := procs.Find(p.listing.Lines, id); i >= 0 {
			return chrome.Explain(p.listing.Lines[i].Row, d.st.Now)
		}
	}
	if f := chrome.Loudest(d.st); f != nil && newPlanFinding(d.height) == 0 {
		return d.th.Glyphs.Mark + " " + chrome.Claim(d.st, f, 0)
	}
	return d.worst()
}

// foot draws the bottom of the screen in exactly height lines: room, the
// sentence, sources, keys.
func (d *drawing) foot(p plan, text string, width, height int) []string {
	var foot []string
	sentence := line.Wrap(text, width, p.detailH, d.th.Glyphs.Ellipsis)
	for i := range p.detailH {
		if i < len(sentence) {
			foot = append(foot, d.style(theme.Plain).Paint(sentence[i]))
		} else {
			foot = append(foot, "")
		}
	}
	if p.sources {
		said := text
		if p.detailH == 0 {
			said = ""
		}
		foot = append(foot, d.sources(width, said))
	}
	if p.hints {
		foot = append(foot, chrome.Keys(d.st, width))
	}
	room := make([]string, max(0, height-len(foot)))
	return append(room, foot...)
}

// findings draws the most important finding in exactly height lines.
func (d *drawing) findings(width, height int) []string {
	if height <= 0 {
		return nil
	}
	lines := chrome.FindingLines(d.st, width, height)
	if len(lines) == 0 {
		text := "No cause for worry found."
		if n := len(d.st.Findings); n > 0 {
			text = "No new cause for worry; " + chrome.Plural(n, "finding", "findings") + " on screen 4."
		}
		text = chrome.Calm(d.st, text)
		lines = append(lines, d.style(theme.Dim).Paint(line.Cut(text, width, d.th.Glyphs.Ellipsis)))
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}

// scrollCards brings the card of the selected process into view.
func (o *Overview) scrollCards(d *drawing, p plan) {
	rows := ceilDiv(len(d.cards), max(1, p.across))
	if id, ok := o.table.Selected(); ok && id.OnGPU {
		for i := range d.cards {
			if d.cards[i].gpu == nil || d.cards[i].gpu.Index != id.GPU {
				continue
			}
			row := i / p.across
			o.firstCard = min(o.firstCard, row)
			o.firstCard = max(o.firstCard, row-p.cardRows+1)
		}
	}
	o.firstCard = max(0, min(o.firstCard, rows-p.cardRows))
}

// region is where a card stands on screen.
type region struct {
	x, y, width, height int
	gpu                 string
}

// regions returns where the cards stand, the first of them at line top.
func (d *drawing) regions(p plan, width, top, firstRow int) []region {
	var out []region
	w := cardWidth(width, p.across)
	top += b2i(p.caption)
	per := p.form.lines() + b2i(p.airy)
	for i := firstRow * p.across; i < min((firstRow+p.cardRows)*p.across, len(d.cards)); i++ {
		at := i - firstRow*p.across
		if d.cards[i].gpu != nil {
			out = append(out, region{x: at % p.across * (w + gutter), y: top + at/p.across*per, width: w, height: p.form.lines(), gpu: d.cards[i].series})
		}
	}
	return out
}

func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
}
