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
	found = s.reconcile(s.lookCloser(found))
	found = append(found, forecast(s, found)...)
	for _, d := range found {
		d.tellRanks()
		d.tellOrigin()
		if s.gone(d) {
			d.State, d.Title = Ended, d.Sentence(true)
		}
	}
	slices.SortStableFunc(found, before)
	out := make([]Finding, 0, min(len(found), maxFindings))
	for _, d := range found[:min(len(found), maxFindings)] {
		e := catalog.Get(d.ID)
		d.Advice = e.AdviceFor(d.tags, d.words)
		if in.Over || d.State == Ended {
			d.Advice = catalog.Afterwards(d.Advice)
		}
		d.Confirm, d.Refute = e.ChecksFor(d.tags, d.words)
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
	for _, h := range s.holders[*d.PID] {
		if h.gpu.id != d.GPUID || h.facts == nil {
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

// cacheOverLeak is how many times as much as a rise of allocated the cache may
// grow above what is needed, for the rise to be the cause.
const cacheOverLeak = 5

// reconcile takes out what another finding explains better.
func (s *scene) reconcile(found []*draft) []*draft {
	x := newIndex(found)
	var out []*draft
	seen := map[Key]*draft{}
	for _, d := range found {
		if x.explained(d) {
			continue
		}
		if cache := x.ofJob(d, catalog.ReservedGrowth); d.ID == catalog.Leak && cache != nil && cache.rise > cacheOverLeak*d.rise {
			d.Severity, d.Confidence = Info, Possible // batches that grow lift both
		}
		switch leak := x.ofJob(d, catalog.Leak); {
		case leak == nil || leak.Severity < Warning:
		case d.ID == catalog.RankImbalance:
			d.Severity = Info
		case d.ID == catalog.ReservedGrowth: // what leaks pins the cache as well
			d.Severity = min(d.Severity, leak.Severity)
		}
		if first := seen[d.Key()]; first != nil && d.ID != catalog.AllocConf {
			first.toldBy(d.ranks)
			continue
		}
		seen[d.Key()] = d
		out = append(out, d)
	}
	return out
}

// explained reports whether another finding explains one better.
func (x *index) explained(d *draft) bool {
	switch d.ID {
	case catalog.Leak:
		// What goes away with the next phase, or came in one step, is no leak.
		return x.ofJob(d, catalog.EvalWithoutNoGrad, catalog.EvalPredictions, catalog.SecondStage) != nil
	case catalog.Capacity, catalog.ActivationsTooLarge, catalog.LengthSpike, catalog.ModelTooBigAtLoad, catalog.OptimizerStateFirstStep:
		if f := x.ofJob(d, catalog.Leak); f != nil && f.Severity == Critical {
			return true
		}
		f := x.onDevice(d, catalog.OtherProcess)
		return f != nil && f.Severity == Critical
	case catalog.OtherProcess:
		// The failure that it caused says it already.
		f := x.onDevice(d, catalog.OtherProcess)
		return f != nil && d.Severity == Warning && f.Severity == Critical
	case catalog.HeadroomLow:
		return x.onDevice(d, catalog.OtherProcess, catalog.Leak, catalog.ReservedGrowth) != nil
	case catalog.CheckpointLoadDoubling, catalog.SecondStage:
		return d.Severity == Info && x.ofJob(d, catalog.Leak, catalog.EvalWithoutNoGrad) != nil
	case catalog.AllocRetries:
		return d.Severity == Info && d.job != nil && d.s.failureOf(d.job) != nil // PyTorch always flushes before it fails
	case catalog.LibraryWorkspace:
		return x.ofJob(d, catalog.NonTorchMemory, catalog.NonTorchLeak, catalog.OtherLibrary) != nil
	default:
		return false
	}
}

// index finds findings at warning and above by what they are about.
type index struct {
	jobs    map[Key][]*draft
	devices map[Key][]*draft // without the process
}

func newIndex(found []*draft) *index {
	x := &index{jobs: map[Key][]*draft{}, devices: map[Key][]*draft{}}
	for _, f := range found {
		if f.Severity < Warning {
			continue
		}
		k := f.Key()
		x.jobs[k] = append(x.jobs[k], f)
		k.PID = 0
		x.devices[k] = append(x.devices[k], f)
	}
	return x
}

// ofJob returns another finding of these about the same job; nil for none.
func (x *index) ofJob(d *draft, ids ...catalog.ID) *draft {
	k := d.Key()
	for _, k.ID = range ids {
		for _, f := range x.jobs[k] {
			if f != d {
				return f
			}
		}
	}
	return nil
}

// onDevice returns another finding of these about the same device; nil for none.
func (x *index) onDevice(d *draft, ids ...catalog.ID) *draft {
	k := Key{GPU: d.GPUID}
	for _, k.ID = range ids {
		for _, f := range x.devices[k] {
			if f != d {
				return f
			}
		}
	}
	return nil
}
