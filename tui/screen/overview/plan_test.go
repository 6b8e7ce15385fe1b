package overview

import "testing"

func TestThePlanFillsTheScreenAndNoMore(t *testing.T) {
	for width := 20; width <= 300; width++ {
		for height := 5; height <= 100; height++ {
			for _, cards := range []int{1, 2, 3, 8, 16} {
				p := newPlan(width, height, cards)
				used := 1 + p.cardsH + p.findingH + p.chartH + p.tableH + p.detailH + b2i(p.rule) + b2i(p.sources) + b2i(p.hints)
				if used > height {
					t.Fatalf("%d×%d, %d cards: %d lines: %+v", width, height, cards, used, p)
				}
				if p.cardRows < 1 {
					t.Fatalf("%d×%d, %d cards: no card fits: %+v", width, height, cards, p)
				}
				if height >= 24 && width >= 80 && cards <= 16 && p.cardRows*p.across < cards {
					t.Fatalf("%d×%d: %d of %d cards: %+v", width, height, p.cardRows*p.across, cards, p)
				}
			}
		}
	}
}

func TestCardsShrinkInSteps(t *testing.T) {
	for _, tt := range []struct {
		width, height, cards int
		form                 form
		across               int
	}{
		{40, 10, 1, formOne, 1},
		{80, 24, 1, formFull, 1},
		{80, 24, 2, formFull, 1},
		{80, 24, 4, formTwo, 1},
		{80, 24, 8, formOne, 1},
		{80, 24, 16, formOne, 2},
		{120, 40, 2, formFull, 1},
		{120, 40, 8, formTwo, 1},
		{200, 60, 8, formFull, 2},
		{200, 60, 16, formFull, 2},
	} {
		p := newPlan(tt.width, tt.height, tt.cards)
		if p.form != tt.form || p.across != tt.across {
			t.Errorf("%d×%d, %d cards: form %d, %d across; want %d, %d", tt.width, tt.height, tt.cards, p.form, p.across, tt.form, tt.across)
		}
	}
}

func TestTheOnlyCardHasAChartFromTheSmallestUsualTerminalOn(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		if p := newPlan(size[0], size[1], 1); p.chartH < leastChart || p.tableH < 5 {
			t.Errorf("%d×%d: %+v", size[0], size[1], p)
		}
	}
	if p := newPlan(80, 24, 2); p.chartH != 0 {
		t.Errorf("two cards: %+v", p)
	}
}
