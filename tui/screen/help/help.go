// Package help is the page that says what the keys do and what the signs mean.
// The keys come from the one key map; nothing is written down twice.
//
// It must not know what is on any other screen but the signs of the theme.
package help

import (
	"strings"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Help is the page's own state: how far it is scrolled and what is looked for.
type Help struct {
	offset int
	search string
}

// New returns the page at its top.
func New() *Help { return &Help{} }

var _ screen.Screen = (*Help)(nil)

// Update scrolls and searches the page.
func (h *Help) Update(_ *screen.State, in screen.Input) screen.Ask {
	switch in.Mouse.Kind {
	case screen.MouseWheelUp:
		h.offset -= 3
	case screen.MouseWheelDown:
		h.offset += 3
	default:
	}
	switch in.Action {
	case keys.Up:
		h.offset--
	case keys.Down:
		h.offset++
	case keys.PageUp:
		h.offset -= 10
	case keys.PageDown:
		h.offset += 10
	case keys.Filter:
		return screen.Prompt{Label: "search:", Text: h.search, Changed: func(text string) { h.search, h.offset = text, 0 }}
	case keys.Close:
		if h.search == "" {
			return screen.Back{}
		}
		h.search = ""
	default:
	}
	h.offset = max(0, h.offset)
	return nil
}

// View draws the page, with a last line that says when there is more.
func (h *Help) View(st *screen.State, width, height int) []string {
	if width <= 0 || height <= 0 {
		return nil
	}
	all := h.matching(page(st, width), st)
	room := height
	if len(all) > height || h.search != "" {
		room = max(1, height-1)
	}
	h.offset = max(0, min(h.offset, len(all)-room))
	shown := append([]string{}, all[h.offset:min(len(all), h.offset+room)]...)
	if room < height {
		for len(shown) < room {
			shown = append(shown, "")
		}
		shown = append(shown, h.foot(st, width, len(all) > room, h.offset+room >= len(all)))
	}
	return shown
}

// foot says what else there is and how to leave.
func (h *Help) foot(st *screen.State, width int, more, atEnd bool) string {
	l := line.New(width, st.Theme)
	g := &st.Theme.Glyphs
	text := ""
	switch {
	case more && atEnd:
		text = g.Up + " more   "
	case more:
		text = g.Down + " more   "
	}
	if h.search != "" {
		text += "only what has " + st.Theme.Outside(h.search) + "   esc shows all"
	} else {
		text += "/ searches   esc leaves the help"
	}
	l.Add(st.Theme.Style(theme.Dim), text)
	return l.String()
}

// matching returns the lines that hold what is looked for, with the titles
// above them.
func (h *Help) matching(w writer, st *screen.State) []string {
	if h.search == "" {
		return w.lines
	}
	want := strings.ToLower(h.search)
	var out []string
	for _, e := range w.entries {
		if !strings.Contains(strings.ToLower(e.name+" "+e.text), want) {
			continue
		}
		sub := writer{th: st.Theme, width: w.width}
		sub.entry(e.role, e.name, e.text)
		out = append(out, sub.lines...)
	}
	if len(out) == 0 {
		out = []string{line.Cut("Nothing here says "+st.Theme.Outside(h.search)+".", w.width, st.Theme.Glyphs.Ellipsis)}
	}
	return out
}

func page(st *screen.State, width int) writer {
	th := st.Theme
	w := writer{th: th, width: width}
	group := ""
	for _, b := range keys.Default().For(mode(st)) {
		if b.Group != group {
			group = b.Group
			w.title(group)
		}
		text := b.Help
		if also := b.AlsoKeys(); also != "" {
			text += " (also " + also + ")"
		}
		w.entry(theme.Key, b.Label, text)
	}
	w.title("The three layers of a GPU's memory, in GiB (2^30 bytes)")
	g := &th.Glyphs
	for _, e := range []struct {
		layer theme.Layer
		text  string
	}{
		{theme.LayerUsed, "held by everybody on the GPU, as the driver says"},
		{theme.LayerReserved, "taken from the driver by PyTorch, allocated included"},
		{theme.LayerAllocated, "in live tensors"},
	} {
		w.entry(e.layer.Role(), g.Full[e.layer]+g.Full[e.layer]+" "+e.layer.Name(), e.text)
	}
	w.title("The gaps between them")
	w.entry(theme.Plain, "cache", "reserved - allocated; of it split: parts of blocks in use, which empty_cache cannot return")
	w.entry(theme.Plain, "non-torch", "used by the process outside PyTorch: CUDA context, NCCL, libraries")
	w.entry(theme.Plain, "others", "used by other processes, seen or not")
	filters(&w)
	w.title("Signs")
	w.entry(theme.Plain, g.Unknown, "not known; select the process to see why")
	w.entry(theme.Warn, g.AtLeast, "at least: some jobs here could not be read")
	w.entry(theme.Warn, g.Mark, "something is stale, lost or unread")
	w.entry(theme.Used, g.Peak, "the highest value so far, as PyTorch counts it")
	w.entry(theme.Plain, "attach", "read from the memory of the running job")
	w.entry(theme.Plain, "log", "as the job printed it, with its age when it is old")
	w.entry(theme.Plain, "assumed", "joined by a rule that may be wrong; behind a figure ?")
	w.entry(theme.Plain, "+", "behind a sum: at least that, one of its processes could not be read")
	return w
}

// filters says how a filter is written.
func filters(w *writer) {
	w.title("The filter: words apart by spaces must all hold")
	for _, e := range [][2]string{
		{"train", "command, user or container holds it; torch is also every process that has PyTorch"},
		{"user:ann", "a field is that, several as gpu:0,2-3; cmd and container hold it"},
		{"mem>2G", "= != > < >= <= compare, ~ looks inside a text; 2G is 2 GiB, times are 90s 30m 1h"},
		{"!user:bob", "not, as -jupyter; alloc:unknown is what has no figure"},
		{"a b | c", "a and b, or c; quotes take the meaning of a sign away"},
		{"fields", strings.Join(procs.FilterFields(), " ")},
	} {
		w.entry(theme.Plain, e[0], e[1])
	}
}

// mode returns for which feed the keys are.
func mode(st *screen.State) keys.Mode {
	if st.Position != nil {
		return keys.Replay
	}
	return keys.Live
}

// writer lays out titles and entries, and keeps the entries for the search.
type writer struct {
	th      *theme.Theme
	width   int
	lines   []string
	heading string
	entries []entry
}

type entry struct {
	title, name, text string
	role              theme.Role
}

const nameWidth = 16

func (w *writer) title(text string) {
	w.heading = text
	if len(w.lines) > 0 {
		w.lines = append(w.lines, "")
	}
	for _, part := range line.Wrap(text, w.width, 3, w.th.Glyphs.Ellipsis) {
		w.lines = append(w.lines, w.th.Style(theme.Heading).Paint(part))
	}
}

func (w *writer) entry(role theme.Role, name, text string) {
	w.entries = append(w.entries, entry{w.heading, name, text, role})
	column := min(nameWidth, w.width/2)
	parts := line.Wrap(text, max(1, w.width-column), 6, w.th.Glyphs.Ellipsis)
	for i, part := range parts {
		l := line.New(w.width, w.th)
		if i == 0 {
			l.Space(2)
			l.Add(w.th.Style(role), line.Cut(name, max(1, column-3), w.th.Glyphs.Ellipsis))
		}
		l.Pad(column)
		l.Add(theme.Style{}, part)
		w.lines = append(w.lines, l.String())
	}
}
