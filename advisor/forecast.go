package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// forecast needs a cause that grows; it says when the card is full. It is
// derived from the findings so far, since growth without a cause that was seen
// is loading as often as not.
func forecast(s *scene, found []*draft) []*draft {
	var out []*draft
	said := map[Key]bool{}
	for _, f := range found {
		switch f.ID {
		case catalog.Leak, catalog.ReservedGrowth, catalog.NonTorchLeak:
		default:
			continue
		}
		if f.Severity == Info || f.GPU == nil || f.Line.Metric == "" {
			continue
		}
		g := s.gpu(f.GPUID)
		slope := (f.Line.ToBytes - f.Line.FromBytes) / f.Line.To.Sub(f.Line.From).Seconds()
		if g == nil || g.lost(f.PID) || !(slope > 0) || s.failedOn(g) || f.To.Before(s.time(s.end).Add(-f.To.Sub(f.From)/4)) {
			continue
		}
		free := g.track(freeMetric)
		if free.len() == 0 {
			continue
		}
		left := quantile(free.last[max(0, free.len()-20):], 0.1)
		low, high := f.Line.SlopeLow, f.Line.SlopeHigh
		if low <= 0 || high <= 0 {
			low, high = 0.7*slope, 1.4*slope
		}
		early, late := left/high, left/low
		if early > 24*3600 || left <= 0 {
			continue
		}
		severity := Warning
		if late <= soonSeconds {
			severity = Critical
		}
		if f.ID == catalog.ReservedGrowth && severity == Critical {
			severity = Warning // torch flushes its cache before it gives up
		}
		severity = min(severity, f.Severity)
		w := words{"early": duration(early), "late": duration(late), "free": size(left), "rate": rate(slope)}
		if s.in.Over {
			severity = min(severity, Warning)
		}
		d := s.draft(catalog.ForecastFull, "run", w).onGPU(g).span(s.seconds(f.From), s.seconds(f.To)).grade(severity, Likely)
		d.PID, d.Rank, d.job, d.logged = f.PID, f.Rank, f.job, f.logged
		d.figure("full in, at the earliest", early, Seconds).figure("full in, at the latest", late, Seconds).bytes("free at the end", left)
		if k := d.Key(); !said[k] { // of two causes the first, which comes first there too
			said[k] = true
			out = append(out, d)
		}
	}
	return out
}

func (s *scene) failedOn(g *gpu) bool {
	for i := range s.ooms {
		if s.ooms[i].job != nil && s.ooms[i].job.gpu == g {
			return true
		}
	}
	return math.IsNaN(s.end)
}
