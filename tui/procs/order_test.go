package procs_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
)

func TestEveryColumnSortsBothWaysWithWhatIsUnknownLast(t *testing.T) {
	s := filterSample()
	for _, tt := range []struct {
		by       procs.ColumnID
		up, down string
	}{
		{procs.ColumnNone, "446 901 447 12 0", "446 901 447 12 0"},
		{procs.ColumnPID, "12 446 447 901 0", "901 447 446 12 0"},
		{procs.ColumnUser, "446 447 901 12 0", "901 446 447 12 0"},
		{procs.ColumnGPU, "446 901 447 12 0", "12 447 446 901 0"},
		{procs.ColumnRank, "446 447 12 901 0", "447 446 12 901 0"},
		{procs.ColumnAllocated, "0 446 447 12 901", "447 446 0 12 901"},
		{procs.ColumnReserved, "446 447 12 901 0", "447 446 12 901 0"},
		{procs.ColumnUsed, "12 901 446 447 0", "447 446 901 12 0"},
		{procs.ColumnCache, "447 446 12 901 0", "446 447 12 901 0"},
		{procs.ColumnNonTorch, "446 447 12 901 0", "446 447 12 901 0"},
		{procs.ColumnHost, "901 446 447 12 0", "446 447 901 12 0"},
		{procs.ColumnCPU, "901 446 447 12 0", "446 447 901 12 0"},
		{procs.ColumnTime, "446 447 901 12 0", "901 446 447 12 0"},
		{procs.ColumnState, "0 12 901 446 447", "901 12 0 446 447"},
		{procs.ColumnContainer, "446 447 12 901 0", "446 447 12 901 0"},
		{procs.ColumnCommand, "901 446 447 0 12", "0 446 447 901 12"},
	} {
		for _, descending := range []bool{false, true} {
			want := tt.up
			if descending {
				want = tt.down
			}
			var got []string
			for _, l := range procs.Build(s).Lines(procs.View{Order: procs.Order{By: tt.by, Descending: descending}}).Lines {
				got = append(got, strings.Split(name(l.Row), "@")[0])
			}
			if strings.Join(got, " ") != want {
				t.Errorf("by %q, descending %v: got %v, want %s", tt.by, descending, got, want)
			}
		}
	}
}

func TestRowsThatLookEqualDoNotChangePlaces(t *testing.T) {
	for _, order := range []procs.Order{{By: procs.ColumnUsed}, {By: procs.ColumnUsed, Descending: true}} {
		for _, used := range [][2]int64{{5 * gib, 5*gib + 1<<20}, {5*gib + 1<<20, 5 * gib}} {
			s := monitor.Sample{Holders: []monitor.Holder{holder(2, 0, used[0]), holder(1, 0, used[1])}}
			same(t, []string{"1@0", "2@0"}, names(procs.Build(&s).Lines(procs.View{Order: order}).Lines))
		}
	}
}

func TestAnythingAboveNothingSortsAboveNothing(t *testing.T) {
	s := monitor.Sample{Holders: []monitor.Holder{holder(1, 0, 0), holder(2, 0, 1)}}
	same(t, []string{"2@0", "1@0"}, names(procs.Build(&s).Lines(procs.View{Order: procs.Order{By: procs.ColumnUsed, Descending: true}}).Lines))
}

func TestCompareIsAnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range samples(t) {
		rows := procs.Build(s).Rows()
		if len(rows) == 0 {
			continue
		}
		for _, c := range append(procs.Columns(), procs.Column{}) {
			o := procs.Order{By: c.ID, Descending: r.IntN(2) == 0}
			for range 50 {
				x, y, z := &rows[r.IntN(len(rows))], &rows[r.IntN(len(rows))], &rows[r.IntN(len(rows))]
				if o.Compare(x, y) != -o.Compare(y, x) {
					t.Fatalf("by %s: %+v and %+v compare differently from either side", c.ID, x.ID, y.ID)
				}
				if o.Compare(x, y) <= 0 && o.Compare(y, z) <= 0 && o.Compare(x, z) > 0 {
					t.Fatalf("by %s: a circle", c.ID)
				}
				if (o.Compare(x, y) == 0) != (x.ID == y.ID) {
					t.Fatalf("by %s: %+v and %+v are one", c.ID, x.ID, y.ID)
				}
			}
		}
	}
}

func TestASelectionSurvivesSortingRefreshAndALateStartTime(t *testing.T) {
	early := monitor.Sample{Holders: []monitor.Holder{holder(1, 0, gib), holder(2, 0, 9*gib)}}
	late := early
	late.Processes = []monitor.Process{{PID: 1, StartTicks: 70}, {PID: 2, StartTicks: 71}}
	selected := procs.Build(&early).Lines(procs.View{}).Lines[1].ID()
	for _, order := range []procs.Order{{}, {By: procs.ColumnUsed}, {By: procs.ColumnPID, Descending: true}} {
		for _, s := range []*monitor.Sample{&early, &late} {
			l := procs.Build(s).Lines(procs.View{Order: order}).Lines
			at := procs.Find(l, selected)
			if at < 0 || l[at].ID().Process.PID != 1 {
				t.Errorf("lost under %+v", order)
			}
		}
	}
	now := procs.Build(&late).Lines(procs.View{}).Lines
	if procs.Find(now, procs.ID{Process: monitor.ProcessKey{PID: 1, StartTicks: 5}, OnGPU: true}) != -1 {
		t.Error("another process of the same number is taken for the selected one")
	}
}

func TestColumnsAreChosenByNameAndFitTheirFigures(t *testing.T) {
	chosen, err := procs.ChooseColumns(procs.DefaultColumns())
	if err != nil || len(chosen) != len(procs.DefaultColumns()) {
		t.Errorf("the default columns: %v", err)
	}
	for _, tt := range []struct {
		ids  []procs.ColumnID
		says string
	}{{nil, "choose from pid user"}, {[]procs.ColumnID{"pid", "memory"}, `"memory" does not exist; there are pid user`}, {[]procs.ColumnID{"pid", "pid"}, `"pid" stands twice`}} {
		if _, err := procs.ChooseColumns(tt.ids); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v: got %v", tt.ids, err)
		}
	}
	for _, c := range procs.Columns() {
		if len(c.Title) > c.Width || c.Help == "" {
			t.Errorf("%s is too narrow for its title or says nothing", c.ID)
		}
	}
	for _, s := range samples(t)[:30] {
		for _, l := range procs.Build(s).Lines(procs.View{Mode: procs.Jobs}).Lines {
			for _, c := range procs.Columns() {
				if cell := l.Row.Cell(c.ID, "–"); c.Right && c.ID != procs.ColumnPID && c.ID != procs.ColumnRank && len([]rune(cell)) > c.Width {
					t.Errorf("%s shows %q in %d cells", c.ID, cell, c.Width)
				}
			}
		}
	}
}
