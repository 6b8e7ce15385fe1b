package tui

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

func TestWhatTheAdvisorMayAskForOutlivesTheLinesOnScreen(t *testing.T) {
	var b logBook
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for i := range 5000 {
		at = at.Add(time.Second)
		text := "batch " + strconv.Itoa(i)
		if i == 3 {
			text = "Stage 1"
		}
		b.add(&monitor.Sample{Time: at, Lines: []monitor.LogLine{{Time: at, Source: "train.log", Text: text}}})
	}
	if n := len(b.entries); n > 2*keepLines {
		t.Errorf("%d entries for the screen", n)
	}
	in := b.input(history.Window{}, at, false)
	if !slices.ContainsFunc(in.Lines, func(l monitor.LogLine) bool { return l.Text == "Stage 1" }) || len(in.Lines) > 2*keepLines+1 {
		t.Errorf("%d lines for the advisor, the first %q", len(in.Lines), in.Lines[0].Text)
	}
	if !slices.IsSortedFunc(in.Lines, func(a, b monitor.LogLine) int { return a.Time.Compare(b.Time) }) {
		t.Error("they are not in the order of time")
	}
}
