package advisor

import (
	"cmp"
	"math"
	"slices"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// rule is one family of causes: what it needs is said at its function.
type rule struct {
	name string
	find func(*scene) []*draft
}

// rules is the table of all rules. Their order does not matter: findings are
// ranked afterwards.
var rules = []rule{
	{"failures", failures},
	{"leaks", leaks},
	{"reserved growth", reservedGrowth},
	{"cache retention", retention},
	{"split cache", splitCache},
	{"alloc retries", retries},
	{"private pools", privatePools},
	{"evaluation", evaluation},
	{"new levels", newLevels},
	{"transient peaks", transientPeaks},
	{"recovery after a failure", recoveryHolds},
	{"other processes", otherProcesses},
	{"stray contexts", strayContexts},
	{"loader workers", loaderWorkers},
	{"uneven ranks", uneven},
	{"outside torch", outsideTorch},
	{"full precision", fullPrecision},
	{"headroom", headroom},
	{"servers", kvServers},
	{"known errors", knownErrors},
	{"host memory", hostMemory},
	{"gpu errors", gpuErrors},
	{"allocator settings", allocConf},
}

// maxFindings is about one page.
const maxFindings = 12

// Advise judges a whole window. The findings come most important first:
// severity, then cause before symptom, then confidence.
func Advise(in Input) []Finding {
	s := newScene(&in)
	var found []*draft
	for _, r := range rules {
		found = append(found, r.find(s)...)
	}
	found = s.reconcile(found)
	found = append(found, forecast(s, found)...)
	for _, d := range found {
		if s.gone(d) {
			d.State = Resolved
		}
	}
	slices.SortStableFunc(found, before)
	out := make([]Finding, 0, min(len(found), maxFindings))
	for _, d := range found[:min(len(found), maxFindings)] {
		d.Advice = catalog.Get(d.ID).AdviceFor(d.tags)
		out = append(out, d.Finding)
	}
	return out
}

// gonePoints is how many samples a process must be away for its findings to be
// over.
const gonePoints = 10

// gone reports whether the process that a finding is about ended well before
// the end of the window.
func (s *scene) gone(d *draft) bool {
	if d.PID == nil || d.GPUID == "" || s.rest {
		return false
	}
	g := s.gpu(d.GPUID)
	if g == nil {
		return false
	}
	for _, h := range g.holders {
		if h.key.PID != *d.PID || h.facts == nil {
			continue
		}
		if away := s.end - s.seconds(h.facts.Last); away > math.Max(gonePoints*s.every, 3) {
			return true
		}
	}
	return false
}

// before orders findings.
func before(a, b *draft) int {
	return cmp.Or(
		-cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.place(), b.place()),
		-cmp.Compare(a.Confidence, b.Confidence),
		cmp.Compare(a.gpuOrder(), b.gpuOrder()),
		cmp.Compare(a.pidOrder(), b.pidOrder()),
		cmp.Compare(a.Title, b.Title),
	)
}

// place is where the finding stands between first cause and last symptom.
func (d *draft) place() int { return placeOf(d.ID) }

func placeOf(id catalog.ID) int { return catalog.Get(id).Place }

func (d *draft) gpuOrder() int {
	if d.GPU == nil {
		return math.MaxInt
	}
	return *d.GPU
}

func (d *draft) pidOrder() int {
	if d.PID == nil {
		return math.MaxInt
	}
	return *d.PID
}

// reconcile takes out what another finding explains better.
func (s *scene) reconcile(found []*draft) []*draft {
	has := func(on *draft, ids ...catalog.ID) *draft {
		for _, f := range found {
			if slices.Contains(ids, f.ID) && f != on && f.Severity >= Warning && sameJob(f, on) {
				return f
			}
		}
		return nil
	}
	var out []*draft
	seen := map[Key]bool{}
	for _, d := range found {
		switch d.ID {
		case catalog.Leak:
			// What goes away with the next phase, or came in one step, is no leak.
			if has(d, catalog.EvalWithoutNoGrad, catalog.EvalPredictions, catalog.SecondStage) != nil {
				continue
			}
		case catalog.Capacity, catalog.ActivationsTooLarge, catalog.LengthSpike, catalog.ModelTooBigAtLoad, catalog.OptimizerStateFirstStep:
			if f := has(d, catalog.Leak); f != nil && f.Severity == Critical {
				continue
			}
			if f := s.onDevice(found, d, catalog.OtherProcess); f != nil && f.Severity == Critical {
				continue
			}
		case catalog.OtherProcess:
			// The failure that it caused says it already.
			if f := s.onDevice(found, d, catalog.OtherProcess); f != nil && d.Severity == Warning && f.Severity == Critical {
				continue
			}
		case catalog.HeadroomLow:
			if s.onDevice(found, d, catalog.OtherProcess, catalog.Leak, catalog.ReservedGrowth) != nil {
				continue
			}
		case catalog.CheckpointLoadDoubling, catalog.SecondStage:
			if d.Severity == Info && has(d, catalog.Leak, catalog.EvalWithoutNoGrad) != nil {
				continue
			}
		case catalog.RankImbalance:
			if has(d, catalog.Leak) != nil {
				d.Severity = Info
			}
		case catalog.LibraryWorkspace:
			if has(d, catalog.NonTorchMemory, catalog.NonTorchLeak, catalog.OtherLibrary) != nil {
				continue
			}
		default:
		}
		if k := d.Key(); seen[k] && d.ID != catalog.AllocConf {
			continue
		} else {
			seen[k] = true
		}
		out = append(out, d)
	}
	return out
}

func sameJob(a, b *draft) bool { return a.GPUID == b.GPUID && a.pidOrder() == b.pidOrder() }

func (s *scene) onDevice(found []*draft, d *draft, ids ...catalog.ID) *draft {
	for _, f := range found {
		if f != d && f.GPUID == d.GPUID && f.Severity >= Warning && slices.Contains(ids, f.ID) {
			return f
		}
	}
	return nil
}
