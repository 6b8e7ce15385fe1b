// Package help is the page that says what the keys do and what the signs mean.
// The keys come from the one key map; nothing is written down twice.
//
// It must not know what is on any other screen but the signs of the theme.
package help

import (
	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Help is the page's own state: how far it is scrolled.
type Help struct{ offset int }

// New returns the page at its top.
func New() *Help { return &Help{} }

var _ screen.Screen = (*Help)(nil)

// Update scrolls the page.
func (h *Help) Update(_ *screen.State, action keys.Action) tea.Cmd {
	switch action {
	case keys.Up:
		h.offset--
	case keys.Down:
		h.offset++
	case keys.PageUp:
		h.offset -= 10
	case keys.PageDown:
		h.offset += 10
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
	all := page(st, width)
	if len(all) <= height {
		h.offset = 0
		return all
	}
	room := max(1, height-1)
	h.offset = min(h.offset, len(all)-room)
	shown := append([]string{}, all[h.offset:h.offset+room]...)
	if height > 1 {
		l := line.New(width, st.Theme)
		g := &st.Theme.Glyphs
		more := g.Down + " more"
		if h.offset == len(all)-room {
			more = g.Up + " more"
		}
		l.Add(st.Theme.Style(theme.Dim), more+"   esc leaves the help")
		shown = append(shown, l.String())
	}
	return shown
}

func page(st *screen.State, width int) []string {
	th := st.Theme
	w := writer{th: th, width: width}
	w.title("Keys")
	for _, b := range st.Keys {
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
	w.title("Signs")
	w.entry(theme.Plain, g.Unknown, "not known; select the process to see why")
	w.entry(theme.Warn, g.AtLeast, "at least: some jobs here could not be read")
	w.entry(theme.Warn, g.Mark, "something is stale, lost or unread")
	w.entry(theme.Used, g.Peak, "the highest value so far, as PyTorch counts it")
	w.entry(theme.Plain, "attach", "read from the memory of the running job")
	w.entry(theme.Plain, "log", "as the job printed it, with its age when it is old")
	w.entry(theme.Plain, "assumed", "joined by a rule that may be wrong")
	return w.lines
}

// writer lays out titles and entries.
type writer struct {
	th    *theme.Theme
	width int
	lines []string
}

const nameWidth = 16

func (w *writer) title(text string) {
	if len(w.lines) > 0 {
		w.lines = append(w.lines, "")
	}
	for _, part := range line.Wrap(text, w.width, 3, w.th.Glyphs.Ellipsis) {
		w.lines = append(w.lines, w.th.Style(theme.Heading).Paint(part))
	}
}

func (w *writer) entry(role theme.Role, name, text string) {
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
