package overview

import (
	"slices"
	"strings"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// pageRows is how far page up and down move.
const pageRows = 10

// Update acts on keys and the mouse.
func (o *Overview) Update(st *screen.State, in screen.Input) screen.Ask {
	if st.Sample == nil {
		return nil
	}
	if in.Mouse.Kind != screen.MouseNone {
		return o.mouse(st, in.Mouse)
	}
	switch in.Action {
	case keys.Up:
		o.move(st, -1)
	case keys.Down:
		o.move(st, 1)
	case keys.PageUp:
		o.move(st, -pageRows)
	case keys.PageDown:
		o.move(st, pageRows)
	case keys.Close:
		return o.close()
	case keys.Enter:
		return o.enter(st)
	case keys.Filter:
		return o.askFilter()
	case keys.Sort, keys.SortBack:
		return o.sort(st, in.Action == keys.Sort)
	case keys.Reverse:
		s := st.Settings
		s.Reverse = !s.Reverse
		return screen.Change{Settings: s}
	case keys.Tree:
		s := st.Settings
		s.Tree, s.Group = !s.Tree, false
		return screen.Change{Settings: s}
	case keys.Group:
		s := st.Settings
		s.Tree, s.Group = false, !s.Group
		return screen.Change{Settings: s}
	case keys.Columns:
		return askColumns(st)
	case keys.Signal:
		return o.askSignal(st)
	default:
	}
	return nil
}

// move moves the selection, or the cards when there is no process to select.
func (o *Overview) move(st *screen.State, by int) {
	p := o.processesOf(st)
	if len(p.listing.Lines) == 0 {
		o.firstCard = max(0, o.firstCard+by)
		return
	}
	o.table.Move(p.rows(), by)
	o.focus(st, p)
}

// focus tells the other screens what is selected.
func (o *Overview) focus(st *screen.State, p *processes) {
	id, ok := o.table.Selected()
	i := procs.Find(p.listing.Lines, id)
	if !ok || i < 0 {
		return
	}
	row := p.listing.Lines[i].Row
	if row.ID.IsJob() && row.Job != nil && len(row.Job.Members) > 0 {
		row = row.Job.Members[0]
	}
	st.Focus.Process, st.Focus.HasProcess = row.ID.Process, true
	if g, ok := st.Sample.GPU(row.GPU.Or(-1)); ok {
		st.Focus.GPU = g.ID()
	}
}

// close takes away one thing after the other: the selection, the filter, the
// past.
func (o *Overview) close() screen.Ask {
	switch _, selected := o.table.Selected(); {
	case selected:
		o.table.Clear()
	case o.filterText != "":
		o.filter, o.filterText = procs.Filter{}, ""
	default:
		return screen.Travel{}
	}
	return nil
}

// enter opens the selected process, or folds a job.
func (o *Overview) enter(st *screen.State) screen.Ask {
	p := o.processesOf(st)
	id, ok := o.table.Selected()
	i := procs.Find(p.listing.Lines, id)
	if !ok || i < 0 {
		return screen.Open{Screen: screen.GPU}
	}
	if l := &p.listing.Lines[i]; l.Row.ID.IsJob() || st.Settings.Tree && l.Fold != (procs.ID{}) && l.Row.Allocator == nil {
		o.collapsed = o.collapsed.Toggle(l.Fold)
		return nil
	}
	o.focus(st, p)
	return screen.Open{Screen: screen.Process}
}

func (o *Overview) askFilter() screen.Ask {
	before := o.filterText
	return screen.Prompt{
		Label: "filter:", Text: o.filterText, Hint: "user:ann gpu:1 mem>2G torch",
		Changed: func(text string) {
			if f, err := procs.ParseTyping(text); err == nil {
				o.filter, o.filterText = f, text
			}
		},
		Done: func(text string) screen.Ask {
			f, err := procs.ParseFilter(text)
			if err != nil {
				o.filterText = before
				o.filter, _ = procs.ParseTyping(before)
				return screen.Say{Text: "The filter was not taken: " + err.Error(), Role: theme.Bad}
			}
			o.filter, o.filterText = f, strings.TrimSpace(text)
			return nil
		},
	}
}

// sort sorts by the next or the previous of the chosen columns; between the
// last and the first stands the table's own order.
func (o *Overview) sort(st *screen.State, forward bool) screen.Ask {
	ids := []procs.ColumnID{procs.ColumnNone}
	for _, c := range columnsOf(st.Settings.Columns) {
		ids = append(ids, c.ID)
	}
	i := max(0, slices.Index(ids, procs.ColumnID(st.Settings.Sort)))
	if forward {
		i++
	} else {
		i += len(ids) - 1
	}
	s := st.Settings
	s.Sort, s.Reverse = string(ids[i%len(ids)]), false
	return screen.Change{Settings: s}
}

func askColumns(st *screen.State) screen.Ask {
	var now []string
	for _, c := range columnsOf(st.Settings.Columns) {
		now = append(now, string(c.ID))
	}
	var all []string
	for _, c := range procs.Columns() {
		all = append(all, string(c.ID))
	}
	s := st.Settings
	return screen.Prompt{
		Label: "columns:", Text: strings.Join(now, " "), Hint: "of " + strings.Join(all, " "),
		Done: func(text string) screen.Ask {
			words := splitWords(text)
			ids := make([]procs.ColumnID, len(words))
			for i, w := range words {
				ids[i] = procs.ColumnID(w)
			}
			if len(words) == 0 { // back to the default
				s.Columns = nil
				return screen.Change{Settings: s}
			}
			if _, err := procs.ChooseColumns(ids); err != nil {
				return screen.Say{Text: err.Error(), Role: theme.Bad}
			}
			s.Columns = words
			return screen.Change{Settings: s}
		},
	}
}

func (o *Overview) askSignal(st *screen.State) screen.Ask {
	id, ok := o.table.Selected()
	if !ok {
		return screen.Say{Text: "Select a process first.", Role: theme.Dim}
	}
	p := o.processesOf(st)
	i := procs.Find(p.listing.Lines, id)
	if i < 0 {
		return screen.Say{Text: "The selected process is gone.", Role: theme.Dim}
	}
	row := *p.listing.Lines[i].Row // the table is gone with the next frame, the question is not
	return screen.AskSignal(st, &row)
}

// mouse selects, sorts, scrolls and opens.
func (o *Overview) mouse(st *screen.State, m screen.Mouse) screen.Ask {
	p := o.processesOf(st)
	switch m.Kind {
	case screen.MouseWheelUp:
		o.table.Scroll(p.rows(), -3)
	case screen.MouseWheelDown:
		o.table.Scroll(p.rows(), 3)
	case screen.MousePress:
		return o.press(st, p, m)
	default:
	}
	return nil
}

func (o *Overview) press(st *screen.State, p *processes, m screen.Mouse) screen.Ask {
	if m.Y >= 1 && m.Y <= o.findingH {
		return screen.Open{Screen: screen.Advice}
	}
	for _, r := range o.cards {
		if m.X >= r.x && m.X < r.x+r.width && m.Y >= r.y && m.Y < r.y+r.height {
			st.Focus.GPU = r.gpu
			return screen.Open{Screen: screen.GPU}
		}
	}
	if m.Y == o.tableY {
		if i, ok := o.table.ColumnAt(m.X); ok && i < len(p.columns) {
			s := st.Settings
			if s.Sort == string(p.columns[i].ID) {
				s.Reverse = !s.Reverse
			} else {
				s.Sort, s.Reverse = string(p.columns[i].ID), false
			}
			return screen.Change{Settings: s}
		}
		return nil
	}
	i, ok := o.table.RowAt(m.Y - o.tableY)
	if !ok || i >= len(p.listing.Lines) {
		return nil
	}
	id := p.listing.Lines[i].ID()
	if was, selected := o.table.Selected(); selected && was == id {
		return o.enter(st)
	}
	o.table.Select(id)
	o.focus(st, p)
	return nil
}
