package overview

import (
	"slices"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestOnlyADeviceThatIsGoneIsCalledLost(t *testing.T) {
	for code, want := range map[monitor.Code]string{monitor.Gone: "lost", monitor.TimedOut: "no answer", monitor.Failed: "not readable"} {
		g := &monitor.GPU{Memory: monitor.DeviceMemory{UsedBytes: monitor.Unknown[int64](code, "")}}
		if got := missing(g); got != want {
			t.Errorf("%v is called %q, want %q", code, got, want)
		}
	}
}

func TestAQuestionMarkBehindAFigureIsExplainedWhereItIs(t *testing.T) {
	const short, long = "? assumed ", "? assumed, the driver does not tell "
	for _, c := range []struct {
		width, height int
		want          string
	}{{40, 10, short}, {80, 24, long}, {120, 40, long}} {
		st := stateOf(t, scene.DDP(), theme.Mono, false)
		if got := plain(New().View(st, c.width, c.height)); strings.Contains(got, "assumed") {
			t.Errorf("%d columns: explained where there is none:\n%s", c.width, got)
		}
		s := *st.Sample
		s.Holders = slices.Clone(s.Holders)
		s.Holders[0].Assumed = true
		st.Sample = &s
		for _, grouped := range []bool{false, true} {
			st.Settings.Group = grouped
			got := plain(New().View(st, c.width, c.height))
			if !strings.Contains(got, c.want) || !strings.Contains(got, "21.9?") && !grouped {
				t.Errorf("%d columns, grouped %v: no %q in\n%s", c.width, grouped, c.want, got)
			}
		}
		s.Holders[0].UsedBytes = monitor.Unknown[int64](monitor.NotAvailable, "")
		st.Settings.Group = false
		if got := plain(New().View(st, c.width, c.height)); strings.Contains(got, short) || strings.Contains(got, long) {
			t.Errorf("%d columns: explained where a dash stands:\n%s", c.width, got)
		}
	}
}
