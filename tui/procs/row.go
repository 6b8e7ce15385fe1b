package procs

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
)

// Row is one process on one device, or a process without a device, or the sums
// of a job. Pointers lead into the sample and are read only; texts are clean.
type Row struct {
	ID        ID
	Process   *monitor.Process   // nil when it could not be read; of a job what started it
	Holder    *monitor.Holder    // nil when the driver does not list it
	Allocator *monitor.Allocator // nil when no PyTorch allocator was found
	Job       *Job               // the job it belongs to; nil when it stands alone

	PID     monitor.Reading[int] // as the driver numbers it when ID.Outside
	User    string               // empty when not known
	GPU     monitor.Reading[int] // NVML index
	Rank    monitor.Reading[int]
	Command string // command line, or a shorter name; empty when not known

	AllocatedBytes monitor.Reading[int64]
	ReservedBytes  monitor.Reading[int64]
	UsedBytes      monitor.Reading[int64] // by the process on this device, as the driver tells
	CacheBytes     monitor.Reading[int64] // reserved − allocated
	NonTorchBytes  monitor.Reading[int64] // used − reserved
	HostBytes      monitor.Reading[int64] // resident set of the process, the same in all its rows

	CPUPercent monitor.Reading[float64]       // of one core, the same in all its rows
	Age        monitor.Reading[time.Duration] // since the process started
	Container  string                         // runtime and id; empty outside any
	// State is what is not as it should be, in one word: the allocator's state
	// or that of the process. Empty when there is nothing to say.
	State string
	// Workers counts processes below this one that have PyTorch and use no
	// device of their own, such as forked DataLoader workers. They are no rows
	// of a list.
	Workers int
}

// The states of a row that are neither an allocator's nor a process's.
const (
	StateOutside = "other-namespace" // the number belongs to another PID namespace
	StateLog     = "log"             // figures come from a log
	StateAssumed = "assumed"         // figures were joined by a rule that may be wrong
)

const (
	whyNoAllocator = "no PyTorch allocator found in this process"
	whyOutside     = "the process belongs to another PID namespace"
	whyNotRead     = "the process could not be read"
	whyNotListed   = "the driver does not list this process"
	whyNoDevice    = "it is not known which GPU this is, so the driver's figure cannot be joined"
	whyLog         = "a log does not tell what the whole process uses"
	whyElsewhere   = "the figures of this process could not be tied to this GPU"
)

// fill works out everything a row tells from what was joined into it. used and
// torch are why a row has no holder and no allocator.
func (r *Row) fill(now time.Time, used, torch string) {
	r.fillIdentity()
	if r.Holder == nil {
		r.UsedBytes = monitor.Unknown[int64](monitor.NotApplicable, used)
	}
	r.fillTorch(torch)
	r.fillProcess(now)
	r.State = r.state()
}

func (r *Row) fillIdentity() {
	switch {
	case r.ID.Process.PID > 0:
		r.PID = monitor.Known(r.ID.Process.PID)
	default:
		r.PID = monitor.Unknown[int](monitor.NotAvailable, "the log does not tell the process")
	}
	switch {
	case r.ID.OnGPU:
		r.GPU = monitor.Known(r.ID.GPU)
	case r.Allocator != nil:
		r.GPU = r.Allocator.GPU
		if r.GPU.Known() || r.GPU.Why().Code == monitor.NotRead {
			r.GPU = monitor.Unknown[int](monitor.NotAvailable, "it is not known which GPU this is")
		}
	default:
		r.GPU = monitor.Unknown[int](monitor.NotApplicable, "the process uses no GPU")
	}
}

func (r *Row) fillTorch(why string) {
	a := r.Allocator
	switch {
	case a == nil:
		none := monitor.Unknown[int64](monitor.NotApplicable, why)
		r.AllocatedBytes, r.ReservedBytes, r.CacheBytes, r.NonTorchBytes = none, none, none, none
		return
	case a.State != monitor.AllocatorOK:
		none := unreadFigure(a)
		r.AllocatedBytes, r.ReservedBytes, r.CacheBytes, r.NonTorchBytes = none, none, none, none
		return
	}
	r.AllocatedBytes, r.ReservedBytes, r.CacheBytes = a.AllocatedBytes, a.ReservedBytes, a.CacheBytes()
	r.NonTorchBytes = monitor.Minus(r.UsedBytes, a.ReservedBytes)
}

// unreadFigure is a figure of an allocator that could not be read. What stands
// in its fields counts for nothing, only why it is missing.
func unreadFigure(a *monitor.Allocator) monitor.Reading[int64] {
	if why := a.AllocatedBytes.Why(); !a.AllocatedBytes.Known() && (why.Code != monitor.NotRead || why.Detail != "") {
		return a.AllocatedBytes
	}
	detail := a.Reason
	if detail == "" {
		detail = "the allocator could not be read: " + a.State.String()
	}
	code := monitor.NotAvailable
	switch a.State {
	case monitor.AllocatorDenied:
		code = monitor.NoPermission
	case monitor.AllocatorInherited, monitor.AllocatorNoCUDA:
		code = monitor.NotApplicable
	default:
	}
	return monitor.Unknown[int64](code, detail)
}

func (r *Row) fillProcess(now time.Time) {
	p := r.Process
	if p == nil {
		code, why := monitor.NotAvailable, whyNotRead
		switch {
		case r.ID.Outside:
			why = whyOutside
		case r.ID.Process.PID == 0:
			code, why = monitor.NotApplicable, "the log does not tell the process"
		}
		r.HostBytes, r.CPUPercent = monitor.Unknown[int64](code, why), monitor.Unknown[float64](code, why)
		r.Age, r.Rank = monitor.Unknown[time.Duration](code, why), monitor.Unknown[int](code, why)
	} else {
		r.User, r.Rank = clean.Line(p.User), p.Rank
		r.HostBytes, r.CPUPercent = p.HostBytes, p.CPUPercent
		r.Container = clean.Line(containerText(&p.Container))
		r.Age = monitor.Unknown[time.Duration](monitor.NotAvailable, "when the process started is not known")
		if age := now.Sub(p.Started); !p.Started.IsZero() && age >= 0 {
			r.Age = monitor.Known(age)
		}
	}
	r.Command = clean.Line(r.name())
}

// name returns the longest name there is of the process.
func (r *Row) name() string {
	switch p := r.Process; {
	case p != nil && p.Command != "":
		return p.Command
	case p != nil && p.Name != "":
		return p.Name
	case r.Holder != nil && r.Holder.Name != "" && !r.ID.Outside:
		return r.Holder.Name
	case r.ID.Process.PID == 0 && r.Allocator != nil && r.Allocator.Origin == monitor.OriginLog:
		return "the job of the log"
	}
	return ""
}

func containerText(c *monitor.Container) string {
	id := c.ID
	if id == "" {
		id = c.Pod
	}
	switch {
	case id == "":
		return c.Runtime
	case c.Runtime == "":
		return id
	}
	return c.Runtime + " " + id
}

// state returns the most important thing to say of a row in one word.
func (r *Row) state() string {
	if r.ID.Outside {
		return StateOutside
	}
	if p := r.Process; p != nil {
		if word := processState(p.State); word == "zombie" || word == "stopped" || word == "traced" {
			return word
		}
	}
	a := r.Allocator
	switch {
	case a == nil && r.Holder != nil && r.Holder.Assumed:
		return StateAssumed
	case a == nil:
		return ""
	case a.State != monitor.AllocatorOK:
		return a.State.String()
	case a.Origin == monitor.OriginLog:
		return StateLog
	case a.Origin == monitor.OriginAssumed || a.GPUAssumed || r.Holder != nil && r.Holder.Assumed:
		return StateAssumed
	}
	return ""
}

// processState returns the kernel's letter in words (proc_pid_stat(5), field
// 3); empty for one that it does not know.
func processState(letter string) string {
	switch letter {
	case "R":
		return "running"
	case "S", "I":
		return "sleeping"
	case "D":
		return "waiting" // for a device, not to be interrupted
	case "T":
		return "stopped"
	case "t":
		return "traced"
	case "Z", "X":
		return "zombie"
	}
	return ""
}

// CleanUser returns the owner of a process, clean; empty when not known.
func CleanUser(p *monitor.Process) string {
	if p == nil {
		return ""
	}
	return clean.Line(p.User)
}
