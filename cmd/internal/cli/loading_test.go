package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// fallsOver is a parser with a mistake.
type fallsOver struct{}

func (fallsOver) Line(monitor.LogLine) []monitor.LogReading { panic("no such word") }
func (fallsOver) Flush(time.Time) []monitor.LogReading      { return nil }

// Beside the screen, a mistake must not end the program: it would leave the
// terminal as the screen has it.
func TestAMistakeInReadingARecordingIsItsError(t *testing.T) {
	rows := `{"type":"header","format":1,"started":"2026-11-30T12:00:00Z","gpus":[]}
{"type":"log","t":0,"src":"train.log","line":1,"text":"hello"}
`
	l := &loading{begun: make(chan struct{}), done: make(chan struct{})}
	l.load(t.Context(), io.NopCloser(strings.NewReader(rows)), "run.jsonl", fallsOver{})
	rec, err := l.wait(t.Context())
	if rec != nil || err == nil || !strings.Contains(err.Error(), "run.jsonl: reading it went wrong inside the program: no such word") {
		t.Errorf("%v, %v", rec, err)
	}
}
