package chrome

import (
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
)

// Explain says in sentences where the figures of a row come from and why those
// that are missing are missing. The text may hold what came from outside.
func Explain(r *procs.Row, now time.Time) string {
	if r.ID.IsJob() && r.Job != nil {
		return "Job: " + r.Job.Summary() + "."
	}
	head := "PID " + strconv.Itoa(r.ID.Process.PID)
	if r.ID.Process.PID == 0 {
		head = "log"
	}
	if r.ID.OnGPU {
		head += " on GPU " + strconv.Itoa(r.ID.GPU)
	}
	parts := []string{explainTorch(r, now)}
	if !r.UsedBytes.Known() {
		parts = append(parts, "used unknown: "+r.UsedBytes.Why().String())
	}
	if h := r.Holder; h != nil && h.Assumed {
		parts = append(parts, "used is assumed: the driver does not tell, and this is the only process here that has the GPU open")
	}
	switch {
	case r.ID.Outside:
		parts = append(parts, "the number is the host's, of another PID namespace, so nothing more can be told of it")
	case r.Process == nil && r.ID.Process.PID != 0:
		parts = append(parts, "user, rank, host memory and command unknown: the process could not be read")
	case r.Process != nil:
		parts = append(parts, explainProcess(r.Process)...)
	}
	if r.Job != nil && r.Job.Odd != nil && r.Job.Odd.ID == r.ID {
		parts = append(parts, r.Job.Odd.String())
	}
	return head + ": " + strings.Join(parts, "; ") + "."
}

func explainTorch(r *procs.Row, now time.Time) string {
	a := r.Allocator
	if a == nil {
		return OrElse(r.AllocatedBytes.Why().Detail, "no PyTorch allocator found in it")
	}
	if a.State != monitor.AllocatorOK {
		return "allocated and reserved unknown: " + strings.TrimSuffix(OrElse(a.Reason, "the allocator could not be read: "+a.State.String()), ".")
	}
	text := "layers read from its memory"
	switch a.Origin {
	case monitor.OriginLog:
		text = "layers as its log printed them"
	case monitor.OriginAssumed:
		text = "layers joined by a rule that may be wrong"
	default:
	}
	if !a.ReadAt.IsZero() {
		text += ", " + Age(now.Sub(a.ReadAt)) + " ago"
		if a.Origin == monitor.OriginLog {
			text += " or earlier" // a log tells when its newest line came at the latest
		}
	}
	if a.Origin == monitor.OriginLog && a.Reason != "" {
		text += " (" + strings.TrimSuffix(a.Reason, ".") + ")"
	}
	if a.GPUAssumed {
		text += "; that it is this GPU is assumed"
	}
	for _, missing := range []struct {
		name    string
		reading monitor.Reading[int64]
	}{{"allocated", a.AllocatedBytes}, {"reserved", a.ReservedBytes}} {
		if !missing.reading.Known() {
			text += "; " + missing.name + " unknown: " + missing.reading.Why().String()
		}
	}
	return text
}

func explainProcess(p *monitor.Process) []string {
	var out []string
	if !p.HostBytes.Known() {
		out = append(out, "host memory unknown: "+p.HostBytes.Why().String())
	}
	if !p.CPUPercent.Known() && p.CPUPercent.Why().Code != monitor.NotRead {
		out = append(out, "CPU unknown: "+p.CPUPercent.Why().String())
	}
	return out
}
