package chart

import (
	"strconv"

	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// markLook returns how a mark looks.
func (f *frame) markLook(k MarkKind) (theme.Role, rune) {
	switch k {
	case MarkOOM:
		return theme.Bad, f.g.oom
	case MarkUser:
		return theme.Strong, f.g.mark
	default:
		return theme.Plain, f.g.mark
	}
}

// marks returns the line with the names of marks, each from its moment on.
// OOMs come first, then what the user set, then phases.
func (f *frame) marks() string {
	var all pieces
	for _, kind := range [...]MarkKind{MarkOOM, MarkUser, MarkPhase} {
		for i := range f.d.Marks {
			if m := &f.d.Marks[i]; m.Kind == kind {
				all = f.addMark(all, m)
			}
		}
	}
	return all.line(f.th, f.size.Width)
}

// shortestMark is how much of a long name is worth drawing.
const shortestMark = 6

// addMark adds a mark's name where there is room for it: right of its moment,
// else left of it, else shortened, else not at all.
func (f *frame) addMark(all pieces, m *Mark) pieces {
	column, ok := f.d.columnOf(m.Time, f.l.Columns)
	if !ok {
		return all
	}
	role, glyph := f.markLook(m.Kind)
	name := f.th.Outside(m.Text)
	if name == "" && m.Kind == MarkOOM {
		name = "OOM"
	}
	x, end := f.l.PlotX+column, f.l.PlotX+f.l.Columns
	full := string(glyph) + " " + name
	w := line.Width(full)
	if x+w <= end && all.free(x, w) {
		return append(all, piece{x, w, role, full})
	}
	if left := x + 1 - w; left >= f.l.PlotX && all.free(left, w) {
		return append(all, piece{left, w, role, name + " " + string(glyph)})
	}
	room := end - x
	for i := range all {
		if all[i].column > x {
			room = min(room, all[i].column-air-x)
		}
	}
	short := line.Cut(full, room, f.g.cut)
	if w = line.Width(short); w >= shortestMark && all.free(x, w) {
		return append(all, piece{x, w, role, short})
	}
	return all
}

// windows returns the lines under the axis that show from when to when things
// held. What finds no room is counted left of the last one.
func (f *frame) windows() []string {
	if f.l.Windows == 0 {
		return nil
	}
	lanes := make([]pieces, f.l.Windows)
	left := 0
	for i := range f.d.Windows {
		p, ok := f.window(&f.d.Windows[i])
		if !ok {
			continue
		}
		placed := false
		for j := range lanes {
			if lanes[j].free(p.column, p.width) {
				lanes[j], placed = append(lanes[j], p), true
				break
			}
		}
		if !placed {
			left++
		}
	}
	out := make([]string, len(lanes))
	for j, lane := range lanes {
		if more := "+" + strconv.Itoa(min(left, 99)); left > 0 && j == len(lanes)-1 && f.l.PlotX > len(more) {
			lane = append(lane, piece{f.l.PlotX - 2 - len(more), len(more), theme.Dim, more})
		}
		out[j] = lane.line(f.th, f.size.Width)
	}
	return out
}

// window returns the bracket of a window with its name in it, or behind it
// where it is too short; false when it is not on screen.
func (f *frame) window(w *Window) (piece, bool) {
	d, n := f.d, f.l.Columns
	if n == 0 || !w.From.Before(d.To) || !w.Active && w.To.Before(d.From) || w.To.Before(w.From) {
		return piece{}, false
	}
	first, last := 0, n-1
	opens, closes := f.g.from, f.g.onwards
	if column, ok := d.columnOf(w.From, n); ok {
		first, opens = column, f.g.open
	}
	end := w.To
	if w.Active && end.Before(d.now()) {
		end = d.now()
	}
	if column, ok := d.columnOf(end, n); ok {
		last = column
		if !w.Active {
			closes = f.g.close
		}
	}
	name := f.th.Outside(w.Text)
	p := piece{column: f.l.PlotX + first, role: w.Role}
	inside := last - first + 1 - 5 // ends, a bar and two spaces
	switch need := line.Width(name); {
	case name == "":
		p.text = opens + f.bars(max(last-first-1, 0)) + closes
	case inside >= min(need, 2*shortestMark):
		name = line.Cut(name, inside, f.g.cut)
		p.text = opens + f.g.bar + " " + name + " " + f.bars(inside-line.Width(name)) + closes
	default:
		bracket := opens + f.bars(max(last-first-1, 0)) + closes
		room := n - first - line.Width(bracket) - 1
		if room >= min(need, shortestMark) {
			p.text = bracket + " " + line.Cut(name, room, f.g.cut)
			break
		}
		name = line.Cut(name, first-1, f.g.cut)
		p.text = name + " " + bracket
		p.column -= line.Width(name) + 1
	}
	p.width = line.Width(p.text)
	if over := p.column + p.width - (f.l.PlotX + n); over > 0 {
		p.column = max(p.column-over, 0)
	}
	return p, p.column >= f.l.PlotX
}

// bars returns n columns of a bracket's middle.
func (f *frame) bars(n int) string {
	b := make([]byte, 0, max(n, 0)*len(f.g.bar))
	for range n {
		b = append(b, f.g.bar...)
	}
	return string(b)
}
