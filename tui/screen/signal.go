package screen

import (
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/procs/signal"
	"github.com/vramscope/vramscope/tui/theme"
)

// AskSignal asks which signal to send to the process of a row, and then whether
// it is really meant.
func AskSignal(st *State, row *procs.Row) Ask {
	if st.Settings.ReadOnly {
		return Say{Text: "Signals are off: vramscope runs read-only.", Role: theme.Warn}
	}
	if st.Position != nil || st.Past {
		return Say{Text: "Signals go to processes of now, not of a recording or of the past.", Role: theme.Warn}
	}
	target, err := signal.Target(row)
	if err != nil {
		return Say{Text: st.Theme.Outside(err.Error()), Role: theme.Warn}
	}
	keys := map[signal.Signal]string{signal.Terminate: "t", signal.Interrupt: "i", signal.Kill: "9"}
	var options []Option
	for _, s := range signal.All() {
		lines := signal.Confirmation(row, s, st.User)
		for i := range lines {
			lines[i] = st.Theme.Outside(lines[i])
		}
		options = append(options, Option{Key: keys[s], Label: s.String(), Pick: func() Ask {
			return Confirm{Lines: lines, Yes: func() Ask { return SetSignal{Target: target, Signal: s} }}
		}})
	}
	options = append(options, Option{Key: "esc", Label: "none", Pick: func() Ask { return nil }})
	return Choose{Question: "Signal to " + st.Theme.Outside(row.Cell(procs.ColumnPID, "?")) + ":", Options: options}
}
