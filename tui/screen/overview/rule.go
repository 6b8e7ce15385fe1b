package overview

import (
	"strings"

	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/table"
)

// shown is which cards, which processes and which columns are on screen.
type shown struct {
	firstCard, endCard, cards int
	rows                      table.Window
	hiddenColumns             []string
	filter                    string
	matched, total            int  // processes
	assumed                   bool // ? stands behind a figure of a row on screen
	lines                     bool // rows are not processes alone: jobs or parents stand among them
}

func shownOf(p plan, firstRow, cards int, rows table.Window, layout table.Layout) shown {
	first := firstRow * p.across
	return shown{
		firstCard: first, endCard: min(first+p.cardRows*p.across, cards), cards: cards,
		rows: rows, hiddenColumns: layout.Hidden,
	}
}

// missing says in at most width columns which cards and processes there are
// beyond those on screen; empty when all are there.
func (s *shown) missing(width int, ellipsis string) string {
	long := joinParts(", ", s.cardsPart("GPUs ", " of "), s.rowsPart("", " of ", " "+s.rowNoun()))
	if line.Width(long) <= width {
		return long
	}
	return line.Cut(joinParts(", ", s.cardsPart("GPUs ", "/"), s.rowsPart(map[bool]string{true: "lines ", false: "proc. "}[s.lines], "/", "")), width, ellipsis)
}

// rowNoun is what the rows of the table are: with jobs and parents among them
// they are no processes.
func (s *shown) rowNoun() string {
	if s.lines {
		return "lines"
	}
	return "processes"
}

func (s *shown) cardsPart(before, of string) string {
	if s.endCard-s.firstCard >= s.cards {
		return ""
	}
	return before + span(s.firstCard, s.endCard) + of + itoa(s.cards)
}

func (s *shown) rowsPart(before, of, after string) string {
	if s.rows.End-s.rows.First >= s.rows.Total {
		return ""
	}
	return before + span(s.rows.First, s.rows.End) + of + itoa(s.rows.Total) + after
}

// span returns "1-4" for the first four things, "0" for none.
func span(first, end int) string {
	if end <= first {
		return "0"
	}
	return itoa(first+1) + "-" + itoa(end)
}

func joinParts(separator string, parts ...string) string {
	kept := parts[:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, separator)
}

// rule draws the line between cards and processes. What is missing comes first;
// the rest is said as far as it fits.
func (d *drawing) rule(width int, s shown) string {
	l := line.New(width, d.th)
	dim := d.style(theme.Dim)
	rule := d.th.Glyphs.Rule
	say := func(text string) {
		if text != "" && line.Width(text)+4 <= l.Left() {
			l.Add(dim, rule+rule+" "+text+" ")
		}
	}
	say(s.missing(width-4, d.th.Glyphs.Ellipsis))
	switch {
	case s.filter != "":
		say("filter " + d.th.Outside(s.filter) + ": " + itoa(s.matched) + " of " + chrome.Plural(s.total, "process", "processes"))
	case s.lines, s.rowsPart("", "", "") == "":
		say(chrome.Plural(s.total, "process", "processes"))
	}
	switch {
	case d.st.Settings.Group:
		say("by job")
	case d.st.Settings.Tree:
		say("tree")
	}
	if s.assumed {
		text := "? assumed, the driver does not tell"
		if line.Width(text)+4 > l.Left() {
			text = "? assumed"
		}
		say(text)
	}
	say("GiB")
	if len(s.hiddenColumns) > 0 {
		names := "no room for " + strings.Join(s.hiddenColumns, " ")
		if line.Width(names)+4 > l.Left() {
			names = chrome.Plural(len(s.hiddenColumns), "column", "columns") + " hidden"
		}
		say(names)
	}
	say("curves: last " + itoa(int(d.window.Minutes())) + " min")
	l.Add(dim, strings.Repeat(rule, max(0, l.Left())))
	return l.String()
}
