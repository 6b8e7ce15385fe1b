package advisor_test

import (
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
)

func TestALineWithNothingButANumberedStageAnnouncesIt(t *testing.T) {
	for line, want := range map[string]bool{
		"Stage 2": true, "=== Fold 3/5 ===": true, "[trial 7]": true, "Starting training stage 2 of 3": true,
		"stage 2 loss 0.31": false, "stage": false, "backstage 2": false, "ZeRO stage 3 offload": false,
	} {
		if got := advisor.Stages(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestOneNewLevelThatNoLineSpeaksOfIsNoStageAndNoCopy(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 4, 5, 6, 7, 8} {
		w := newWorld(seed)
		w.load, w.floor, w.weights, w.peak, w.logEvery = 5, 0.2, 0.06, 0.2, 0
		w.jumps, w.jump = []float64{w.length.Seconds() / 2}, 0.2
		for _, f := range advisor.Advise(inputOf(w.samples())) {
			if f.ID == catalog.SecondStage || f.ID == catalog.CheckpointLoadDoubling {
				t.Errorf("seed %d: %s", seed, f.Title)
			}
		}
	}
}
