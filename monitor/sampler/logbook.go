package sampler

import (
	"cmp"
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

const (
	// maxLogJobs bounds the printers of figures that are remembered.
	maxLogJobs = 256
	// together is how far apart lines may be whose figures are shown side by
	// side: a job that prints allocated on one line and reserved on the next.
	together = 10 * time.Second
)

// logName tells the printers of figures apart: the ranks of a job share a file.
type logName struct {
	source    string
	pid       int
	rank, gpu monitor.Reading[int]
}

func nameOf(r *monitor.LogReading) logName {
	return logName{r.Source, r.PID, plain(r.Rank), plain(r.GPU)}
}

// plain makes all unknown readings the same.
func plain(r monitor.Reading[int]) monitor.Reading[int] {
	if r.Known() {
		return r
	}
	return monitor.Reading[int]{}
}

// logFigures is what a printer said last. A figure stands until it is printed
// again; one much older than the newest is dropped.
type logFigures struct {
	newest monitor.LogReading
	// The figures with the times of their lines.
	allocated, reserved, maxAllocated, maxReserved figureAt
}

type figureAt struct {
	bytes monitor.Reading[int64]
	at    time.Time
}

func (f *figureAt) renew(r monitor.Reading[int64], at time.Time, keep time.Duration) {
	if r.Known() {
		f.bytes, f.at = r, at
		return
	}
	if f.bytes.Known() && at.Sub(f.at) > keep {
		f.bytes = monitor.Unknown[int64](monitor.NotAvailable, "the job's log does not print it any more")
	}
}

// readAt is the time of the oldest figure shown: none is made to look newer
// than it is.
func (f *logFigures) readAt() time.Time {
	at := f.newest.Time
	for _, one := range []figureAt{f.allocated, f.reserved} {
		if one.bytes.Known() && one.at.Before(at) {
			at = one.at
		}
	}
	return at
}

// logBook remembers the newest memory figures of each printer.
type logBook struct {
	jobs map[logName]*logFigures
}

func newLogBook() logBook { return logBook{jobs: map[logName]*logFigures{}} }

func (b *logBook) add(readings []monitor.LogReading) {
	for i := range readings {
		r := &readings[i]
		if r.Kind != monitor.LogMemory || !hasFigure(r) {
			continue
		}
		f := b.jobs[nameOf(r)]
		if f == nil {
			if len(b.jobs) >= maxLogJobs {
				b.forgetOldest()
			}
			f = &logFigures{}
			b.jobs[nameOf(r)] = f
		}
		f.newest = *r
		f.allocated.renew(r.AllocatedBytes, r.Time, together)
		f.reserved.renew(r.ReservedBytes, r.Time, together)
		f.maxAllocated.renew(r.MaxAllocatedBytes, r.Time, maxAge)
		f.maxReserved.renew(r.MaxReservedBytes, r.Time, maxAge)
	}
}

// maxAge keeps a printed peak: it holds until the job prints the next.
const maxAge = 365 * 24 * time.Hour

func hasFigure(r *monitor.LogReading) bool {
	return r.AllocatedBytes.Known() || r.ReservedBytes.Known() || r.MaxAllocatedBytes.Known() || r.MaxReservedBytes.Known()
}

func (b *logBook) forgetOldest() {
	var oldest logName
	var at time.Time
	for name, f := range b.jobs {
		if at.IsZero() || f.newest.Time.Before(at) {
			oldest, at = name, f.newest.Time
		}
	}
	delete(b.jobs, oldest)
}

// forgetGone drops the printers whose process the sample shows to be gone.
func (b *logBook) forgetGone(s *monitor.Sample) {
	if len(b.jobs) == 0 || !processesRead(s) {
		return
	}
	there := make(map[int]bool, len(s.Processes)+len(s.Holders))
	for i := range s.Processes {
		there[s.Processes[i].PID] = true
	}
	for i := range s.Holders {
		there[s.Holders[i].PID] = there[s.Holders[i].PID] || s.Holders[i].InNamespace
	}
	for name := range b.jobs {
		if name.pid != 0 && !there[name.pid] {
			delete(b.jobs, name)
		}
	}
}

// processesRead tells whether a process that the sample does not show is gone:
// somebody looked, even where the last one just ended and nothing is listed.
func processesRead(s *monitor.Sample) bool {
	if len(s.Processes) > 0 {
		return true
	}
	return slices.ContainsFunc(s.Sources, func(st monitor.SourceStatus) bool {
		return st.Name == "proc" && (st.State == monitor.StateOK || st.State == monitor.StatePartial)
	})
}

// newestFirst lists what was printed last first, always in the same order.
func (b *logBook) newestFirst() []*logFigures {
	out := make([]*logFigures, 0, len(b.jobs))
	for _, f := range b.jobs {
		out = append(out, f)
	}
	slices.SortFunc(out, func(x, y *logFigures) int {
		a, b := nameOf(&x.newest), nameOf(&y.newest)
		return cmp.Or(y.newest.Time.Compare(x.newest.Time), cmp.Compare(a.source, b.source), cmp.Compare(a.pid, b.pid),
			cmp.Compare(a.rank.Or(0), b.rank.Or(0)), cmp.Compare(a.gpu.Or(0), b.gpu.Or(0)))
	})
	return out
}
