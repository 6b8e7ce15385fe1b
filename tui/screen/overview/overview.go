package overview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/table"
)

// Overview is the screen's own state: which process is selected, how far the
// cards are scrolled.
type Overview struct {
	table     table.Table[rowID]
	firstCard int // row of cards at the top
}

// New returns the screen with nothing selected.
func New() *Overview {
	return &Overview{table: table.Table[rowID]{Columns: columns()}}
}

var _ screen.Screen = (*Overview)(nil)

// pageRows is how far page up and down move.
const pageRows = 10

// Update moves the selection.
func (o *Overview) Update(st *screen.State, action keys.Action) tea.Cmd {
	if st.Sample == nil {
		return nil
	}
	switch action {
	case keys.Up:
		o.move(st, -1)
	case keys.Down:
		o.move(st, 1)
	case keys.PageUp:
		o.move(st, -pageRows)
	case keys.PageDown:
		o.move(st, pageRows)
	case keys.Close:
		o.table.Clear()
	default:
	}
	return nil
}

// move moves the selection, or the cards when there is no process to select.
func (o *Overview) move(st *screen.State, by int) {
	rows := o.rows(st, processRows(st.Sample))
	if len(rows) == 0 {
		o.firstCard = max(0, o.firstCard+by)
		return
	}
	o.table.Move(rows, by)
}

func (o *Overview) rows(st *screen.State, processes []procRow) []table.Row[rowID] {
	rows := make([]table.Row[rowID], len(processes))
	for i := range processes {
		rows[i] = processes[i].tableRow(st.Sample.Time, st.Theme)
	}
	return rows
}

// View draws the screen.
func (o *Overview) View(st *screen.State, width, height int) []string {
	if width <= 0 || height <= 0 {
		return nil
	}
	if st.Sample == nil {
		return message(st, width, height, "Waiting for the first sample.", st.Fault)
	}
	d := newDrawing(st)
	processes := processRows(st.Sample)
	if len(d.cards) == 0 && len(processes) == 0 {
		lines := append([]string{d.header(width)}, message(st, width, height-1,
			"No GPU and no log to show.", d.worst(), "vramscope demo shows this screen on any machine.")...)
		return lines[:min(len(lines), height)]
	}
	p := newPlan(width, height, len(d.cards))
	o.scrollCards(d, p)
	lines := make([]string, 0, height)
	lines = append(lines, d.header(width))
	lines = append(lines, d.grid(p, width, o.firstCard)...)

	rows := o.rows(st, processes)
	tableLines, window := o.table.Draw(st.Theme, width, p.tableH, rows)
	on := shownOf(p, o.firstCard, len(d.cards), window, o.table.Fit(width))
	if p.rule {
		lines = append(lines, d.rule(width, on))
	}
	lines = append(lines, tableLines...)
	text := d.th.Outside(o.sentence(d, processes))
	if !p.rule {
		text = joinParts(". ", on.missing(width, d.th.Glyphs.Ellipsis), text)
	}
	lines = append(lines, d.foot(p, text, width, height-len(lines))...)
	return lines[:min(len(lines), height)]
}

// sentence returns what there is to say of the selected row, else of the worst
// problem.
func (o *Overview) sentence(d *drawing, processes []procRow) string {
	if id, ok := o.table.Selected(); ok {
		for i := range processes {
			if processes[i].id == id {
				return processes[i].explain(d.st.Now)
			}
		}
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
		foot = append(foot, d.sources(width))
	}
	if p.hints {
		foot = append(foot, d.hints(width))
	}
	room := make([]string, max(0, height-len(foot)))
	return append(room, foot...)
}

// scrollCards brings the card of the selected process into view.
func (o *Overview) scrollCards(d *drawing, p plan) {
	rows := ceilDiv(len(d.cards), max(1, p.across))
	if id, ok := o.table.Selected(); ok && id.onGPU {
		for i := range d.cards {
			if d.cards[i].gpu == nil || d.cards[i].gpu.Index != id.gpu {
				continue
			}
			row := i / p.across
			o.firstCard = min(o.firstCard, row)
			o.firstCard = max(o.firstCard, row-p.cardRows+1)
		}
	}
	o.firstCard = max(0, min(o.firstCard, rows-p.cardRows))
}

// message draws sentences in the middle of an otherwise empty screen.
func message(st *screen.State, width, height int, sentences ...string) []string {
	var text []string
	for _, s := range sentences {
		if s == "" {
			continue
		}
		text = append(text, line.Wrap(s, max(1, width-4), 3, st.Theme.Glyphs.Ellipsis)...)
	}
	lines := make([]string, max(0, (height-len(text))/2))
	for _, s := range text {
		l := line.New(width, st.Theme)
		l.Space((width - line.Width(s)) / 2)
		l.Add(theme.Style{}, s)
		lines = append(lines, l.String())
	}
	return lines[:min(len(lines), max(0, height))]
}
