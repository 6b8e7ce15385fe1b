package overview

import (
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// explain says in sentences where the figures of a row come from and why those
// that are missing are missing.
func (r *procRow) explain(now time.Time) string {
	var out []string
	head := "PID " + itoa(r.id.process.PID)
	if r.id.process.PID == 0 {
		head = "log"
	}
	if r.id.onGPU {
		head += " on GPU " + itoa(r.id.gpu)
	}
	out = append(out, r.explainTorch(now))
	if !r.used.Known() {
		out = append(out, "used unknown: "+r.used.Why().String())
	}
	if r.holder != nil && !r.holder.InNamespace {
		out = append(out, "the driver's number belongs to another PID namespace, so nothing more can be told of it")
	} else if r.process == nil && r.id.process.PID != 0 {
		out = append(out, "user, rank, host memory and command unknown: the process could not be read")
	}
	out = append(out, r.explainProcess()...)
	kept := out[:0]
	for _, s := range out {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return head + ": " + strings.Join(kept, "; ") + "."
}

func (r *procRow) explainTorch(now time.Time) string {
	a := r.allocator
	if a == nil {
		return "no PyTorch allocator found in it"
	}
	if a.State != monitor.AllocatorOK {
		return "allocated and reserved unknown: " + strings.TrimSuffix(reasonOf(a), ".")
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
		text += ", " + ageText(now.Sub(a.ReadAt)) + " ago"
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

func (r *procRow) explainProcess() []string {
	if r.process == nil {
		return nil
	}
	var out []string
	if !r.process.HostBytes.Known() {
		out = append(out, "host memory unknown: "+r.process.HostBytes.Why().String())
	}
	if !r.process.CPUPercent.Known() && r.process.CPUPercent.Why().Code != monitor.NotRead {
		out = append(out, "CPU unknown: "+r.process.CPUPercent.Why().String())
	}
	return out
}

// worst returns the sentence about the most important thing that is not as it
// should be; empty when all is well.
func (d *drawing) worst() string {
	if d.st.Fault != "" {
		return d.st.Fault
	}
	for i := range d.cards {
		c := &d.cards[i]
		if c.gpu != nil && c.gpu.State != monitor.StateOK && c.gpu.Reason != "" {
			return c.label + ": " + d.th.Outside(c.gpu.Reason)
		}
	}
	for i := range d.cards {
		if d.cards[i].why != "" {
			return d.cards[i].label + ": " + d.cards[i].why
		}
	}
	for _, s := range d.st.Sample.Sources {
		if s.State != monitor.StateOK && s.Reason != "" {
			return d.th.Outside(s.Name + ": " + s.Reason)
		}
	}
	return ""
}
