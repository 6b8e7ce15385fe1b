package overview

import (
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

func TestOnlyADeviceThatIsGoneIsCalledLost(t *testing.T) {
	for code, want := range map[monitor.Code]string{monitor.Gone: "lost", monitor.TimedOut: "no answer", monitor.Failed: "not readable"} {
		g := &monitor.GPU{Memory: monitor.DeviceMemory{UsedBytes: monitor.Unknown[int64](code, "")}}
		if got := missing(g); got != want {
			t.Errorf("%v is called %q, want %q", code, got, want)
		}
	}
}
