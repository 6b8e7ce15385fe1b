// Package setup is the screen of the settings: what can be chosen, what is
// chosen, and how to keep it.
//
// It changes nothing itself: it asks the root model to.
package setup

import (
	"slices"
	"strings"
	"time"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Setup is the screen's own state: which setting is selected.
type Setup struct {
	at    int
	listY int
}

// New returns the screen with the first setting selected.
func New() *Setup { return &Setup{} }

var _ screen.Screen = (*Setup)(nil)

// setting is one line.
type setting struct {
	name, value, help string
	step              func(by int) screen.Ask // nil where it cannot be changed here
}

// Update selects and changes.
func (s *Setup) Update(st *screen.State, in screen.Input) screen.Ask {
	all := settings(st)
	switch in.Mouse.Kind {
	case screen.MousePress:
		if i := in.Mouse.Y - s.listY; i >= 0 && i < len(all) {
			if i == s.at {
				return change(all[i], 1)
			}
			s.at = i
		}
	case screen.MouseWheelUp:
		s.at--
	case screen.MouseWheelDown:
		s.at++
	default:
	}
	switch in.Action {
	case keys.Up, keys.PageUp:
		s.at--
	case keys.Down, keys.PageDown:
		s.at++
	case keys.StepBack:
		return change(all[s.at], -1)
	case keys.StepForward, keys.Enter:
		return change(all[s.at], 1)
	case keys.Close:
		return screen.Back{}
	default:
	}
	s.at = max(0, min(s.at, len(all)-1))
	return nil
}

func change(s setting, by int) screen.Ask {
	if s.step == nil {
		return screen.Say{Text: "This cannot be changed while vramscope runs.", Role: theme.Dim}
	}
	return s.step(by)
}

// View draws the screen.
func (s *Setup) View(st *screen.State, width, height int) []string {
	return chrome.Page(st, width, height, func(width, height int) []string {
		th := st.Theme
		lines := []string{chrome.Title(st, width, "Settings", "left and right change, F12 writes them to the configuration file")}
		s.listY = 1 + len(lines)
		all := settings(st)
		s.at = max(0, min(s.at, len(all)-1))
		for i, one := range all {
			l := line.New(width, th)
			style, pointer := theme.Style{}, " "
			if i == s.at {
				style, pointer = th.Style(theme.Selected), th.Glyphs.Pointer
			}
			l.Add(style, pointer+" "+one.name)
			l.Pad(18)
			l.Add(th.Style(theme.Strong), one.value)
			l.Pad(36)
			l.Add(th.Style(theme.Dim), one.help)
			lines = append(lines, l.String())
		}
		return lines
	})
}

// settings returns the lines.
func settings(st *screen.State) []setting {
	now := st.Settings
	set := func(f func(s *screen.Settings)) screen.Ask {
		s := now
		f(&s)
		return screen.Change{Settings: s}
	}
	toggle := func(name, help string, on bool, f func(s *screen.Settings)) setting {
		return setting{name, onOff(on), help, func(int) screen.Ask { return set(f) }}
	}
	columns := "default"
	if len(now.Columns) > 0 {
		columns = strings.Join(now.Columns, " ")
	}
	return []setting{
		{"theme", chrome.OrElse(now.Theme, theme.Terminal), "colours: " + strings.Join(theme.Names(), ", "), func(by int) screen.Ask {
			return set(func(s *screen.Settings) {
				s.Theme = cycle(theme.Names(), chrome.OrElse(s.Theme, theme.Terminal), by)
			})
		}},
		toggle("ascii", "draw with ASCII only", now.ASCII, func(s *screen.Settings) { s.ASCII = !s.ASCII }),
		toggle("mouse", "off, the terminal's own selection works without shift", now.Mouse, func(s *screen.Settings) { s.Mouse = !s.Mouse }),
		toggle("bell", "ring on a new critical finding", now.Bell, func(s *screen.Settings) { s.Bell = !s.Bell }),
		interval(st),
		{"sort", chrome.OrElse(now.Sort, "by device"), "column of the process table", func(by int) screen.Ask {
			return set(func(s *screen.Settings) { s.Sort, s.Reverse = cycle(sortable(), s.Sort, by), false })
		}},
		toggle("reverse", "the other way round", now.Reverse, func(s *screen.Settings) { s.Reverse = !s.Reverse }),
		toggle("tree", "children under their parents", now.Tree, func(s *screen.Settings) { s.Tree, s.Group = !s.Tree, false }),
		toggle("group", "ranks of one job under a line of sums", now.Group, func(s *screen.Settings) { s.Group, s.Tree = !s.Group, false }),
		{"columns", columns, "c on the overview chooses them", nil},
		{"read-only", onOff(now.ReadOnly), "no signals; set with --read-only", nil},
	}
}

func interval(st *screen.State) setting {
	s := setting{name: "interval", value: chrome.Interval(st.Interval), help: "between samples; + and - change it anywhere"}
	if st.Position != nil {
		s.help = "as recorded"
		return s
	}
	steps := []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	s.step = func(by int) screen.Ask {
		i := slices.Index(steps, st.Interval)
		i = max(0, min(i+by, len(steps)-1))
		return screen.Change{Settings: st.Settings, Interval: steps[i]}
	}
	return s
}

func sortable() []string {
	out := []string{""}
	for _, c := range procs.Columns() {
		out = append(out, string(c.ID))
	}
	return out
}

func cycle(all []string, now string, by int) string {
	i := max(0, slices.Index(all, now))
	return all[((i+by)%len(all)+len(all))%len(all)]
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
