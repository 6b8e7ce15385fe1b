package cli

import (
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
)

// The player goes on reading the samples that it handed over.
func TestNarrowingAReplayLeavesItsRecordingAsItIs(t *testing.T) {
	holders := []monitor.Holder{{PID: 1, InNamespace: true}, {PID: 2, InNamespace: true}}
	rec := &record.Recording{Samples: []monitor.Sample{{Holders: holders}}}
	player := record.NewPlayer(rec, record.PlayerOptions{})
	opts := &options{pids: []int{2}}
	batch, err := opts.chosen(player).Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := batch.Samples[0].Holders; len(got) != 1 || got[0].PID != 2 {
		t.Errorf("narrowed to %+v", got)
	}
	if len(rec.Samples[0].Holders) != 2 {
		t.Errorf("the recording has become %+v", rec.Samples[0].Holders)
	}
}
