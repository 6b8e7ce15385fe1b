package advisor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// leakers is a card on which several jobs each leak that share of it a minute.
func leakers(seed uint64, samples int, shares ...float64) *sim {
	m := newSim(rand.New(rand.NewPCG(seed, 611)), 1, 80)
	m.every = 1
	m.stretch(samples)
	for i, share := range shares {
		n, carry := m.net(60), 0.0
		n.step, n.wait, n.load = 0.5+0.2*float64(i), 0.1, 10
		n.weights, n.acts = m.share(0.02)/int64(n.layers), m.share(0.05)/int64(n.layers)
		perStep := share / 60 * float64(m.card) * (n.step + n.wait)
		growing(m, n, 20, func(p *proc, _ *trainer, k int64) { kept(p, perStep*float64(k), &carry) })
	}
	return m
}

func forecasts(found []advisor.Finding) []advisor.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f advisor.Finding) bool { return f.ID != catalog.ForecastFull })
}

func figures(f advisor.Finding, name string) []float64 {
	var out []float64
	for _, e := range f.Evidence {
		if strings.Contains(e.Name, name) {
			out = append(out, e.Value)
		}
	}
	return out
}

func TestACardIsForecastByAllThatGrowOnIt(t *testing.T) {
	m := leakers(1, 400, 0.02, 0.01, 0.005)
	got := forecasts(advisor.Advise(inputOf(m.samples())))
	if len(got) != 1 {
		t.Fatalf("%d forecasts of one card: %v", len(got), got)
	}
	f := got[0]
	shares := figures(f, "its share")
	if f.PID != nil || f.GPU == nil || len(shares) != 3 || !slices.IsSortedFunc(shares, func(a, b float64) int { return int(b - a) }) {
		t.Errorf("of process %v, shares %v: %s", f.PID, shares, f.Title)
	}
	if len(shares) == 3 && (math.Abs(shares[0]-57) > 10 || math.Abs(shares[1]-29) > 10 || math.Abs(shares[0]+shares[1]+shares[2]-100) > 0.5) {
		t.Errorf("shares %v, want about 57, 29 and 14", shares)
	}
	rate := 0.035 / 60 * float64(m.card)
	if all := figures(f, "growth together"); len(all) != 1 || math.Abs(all[0]/rate-1) > 0.15 {
		t.Errorf("grows by %v, want about %.0f", all, rate)
	}
	for _, p := range m.procs {
		if !strings.Contains(f.Title, "process "+strconv.Itoa(p.info.PID)) {
			t.Errorf("process %d is not named: %s", p.info.PID, f.Title)
		}
	}
}

// Each alone would fill the card in more than a day, together they do not.
func TestWhatNoneFillsAloneIsForecastForAll(t *testing.T) {
	share := 1.0 / (36 * 60)
	alone := forecasts(advisor.Advise(inputOf(leakers(2, 3000, share).samples())))
	all := forecasts(advisor.Advise(inputOf(leakers(2, 3000, share, share, share).samples())))
	if len(alone) != 0 || len(all) != 1 {
		t.Errorf("alone %v, together %v", alone, all)
	}
}

// strangers is a card on which processes that cannot be read take more and more.
func strangers(samples int, grow ...int64) []monitor.Sample {
	m := newSim(rand.New(rand.NewPCG(3, 612)), 1, 80)
	m.every = 1
	m.stretch(samples)
	for i, g := range grow {
		m.others = append(m.others, stranger{Process: monitor.Process{PID: 9000 + i, ParentPID: 8000 + i, StartTicks: uint64(1 + i), Name: "server"},
			to: forever, bytes: 4 * gib, grow: g})
	}
	return m.samples()
}

func TestTheGrowthOfProcessesThatCannotBeReadIsForecast(t *testing.T) {
	got := forecasts(advisor.Advise(inputOf(strangers(300, 3*mib, 2*mib, 2*mib))))
	if len(got) != 1 || got[0].Confidence != advisor.Possible || len(figures(got[0], "its share")) != 3 {
		t.Errorf("%+v", got)
	}
	if got := forecasts(advisor.Advise(inputOf(strangers(300, 7*mib)))); len(got) != 0 {
		t.Errorf("one process that may be loading: %+v", got)
	}
}

func TestTheForecastOfACardStaysOneFindingWhoeverGrows(t *testing.T) {
	one, many := finding(catalog.ForecastFull, advisor.Warning, "one"), finding(catalog.ForecastFull, advisor.Warning, "many")
	many.PID = nil
	x := pass(pass(advisor.Tracker{}, 0, one), 1, one)
	x = pass(pass(x, 2, many), 3, many)
	if got := x.Findings(); len(got) != 1 || got[0].Title != "many" || !got[0].Since.Equal(start.Add(time.Second)) {
		t.Errorf("%+v", got)
	}
}

// sharing is a card three times as large on which three healthy jobs run.
func sharing(seed uint64) []monitor.Sample {
	r := rand.New(rand.NewPCG(seed, 613))
	var all []monitor.Sample
	card, every := []float64{8, 16, 24, 40}[r.IntN(4)], []float64{0.2, 1, 1, 5}[r.IntN(4)]
	for i := range 3 {
		m := newSim(r, 1, card)
		m.every, m.noTorch, m.noLog = every, r.IntN(2) == 0, r.IntN(2) == 0
		m.stretch(200)
		m.others = nil
		healthyJobs[r.IntN(len(healthyJobs))].play(m)
		part := m.samples()
		if all == nil {
			all = part
			continue
		}
		for k := range all {
			all[k] = onOneCard(all[k], part[k], 10000*i)
		}
	}
	return all
}

// onOneCard puts the processes of one machine on the first GPU of another.
func onOneCard(a, b monitor.Sample, pids int) monitor.Sample {
	used := int64(0)
	for _, h := range b.Holders {
		h.PID, h.GPU = h.PID+pids, 0
		used += h.UsedBytes.Or(0)
		a.Holders = append(a.Holders, h)
	}
	for _, p := range b.Processes {
		p.PID, p.ParentPID = p.PID+pids, p.ParentPID+pids
		a.Processes = append(a.Processes, p)
	}
	for _, t := range b.Torch {
		t.PID, t.GPU = t.PID+pids, monitor.Known(0)
		a.Torch = append(a.Torch, t)
	}
	for _, l := range b.Lines {
		l.PID += pids
		a.Lines = append(a.Lines, l)
	}
	for _, x := range b.Readings {
		x.PID += pids
		a.Readings = append(a.Readings, x)
	}
	m := &a.GPUs[0].Memory
	m.TotalBytes = monitor.Plus(m.TotalBytes, b.GPUs[0].Memory.TotalBytes)
	m.UsedBytes = monitor.Plus(m.UsedBytes, monitor.Known(used))
	m.FreeBytes = monitor.Minus(m.TotalBytes, m.UsedBytes)
	return a
}

func TestHealthyJobsThatShareACardDoNotFillItTogether(t *testing.T) {
	seeds, looked := simSeeds(20), 0
	for seed := range uint64(seeds) {
		all := sharing(firstSeed() + seed)
		for _, part := range []float64{0.35, 0.7, 1} {
			looked++
			for _, f := range forecasts(advisor.Advise(inputOf(all[:int(part*float64(len(all)))]))) {
				if f.PID == nil {
					t.Errorf("seed %d at %.0f %%: %s", seed, 100*part, f.Title)
				}
			}
		}
	}
	t.Logf("%d looks", looked)
}
