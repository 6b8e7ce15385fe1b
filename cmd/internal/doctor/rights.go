package doctor

import (
	"fmt"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/torch"
)

// ptrace says whether PyTorch's own figures can be read from the memory of the
// jobs found, or could be from a job that starts.
func (f *Facts) ptrace() Check {
	read, denied := 0, []monitor.Allocator(nil)
	for _, a := range f.Sample.Torch {
		switch a.State {
		case monitor.AllocatorOK:
			read++
		case monitor.AllocatorDenied:
			denied = append(denied, a)
		default:
		}
	}
	if len(denied) == 0 {
		return f.ptraceWithoutDenial(read)
	}
	d := f.Self.Denied(f.ownerOf(denied[0]))
	state := Unavailable
	if read > 0 {
		state = Partial
	}
	reason := fmt.Sprintf("PyTorch's figures of %s cannot be read: %s", plural(len(denied), "process"), d.Why)
	return lacking(IDPtrace, state, reason, d.Cures...)
}

// ownerOf says whose a process is that could not be read.
func (f *Facts) ownerOf(a monitor.Allocator) torch.Owner {
	for _, j := range f.Jobs {
		if j.PID == a.PID {
			return j.Owner
		}
	}
	return torch.Owner{}
}

func (f *Facts) ptraceWithoutDenial(read int) Check {
	if read > 0 {
		return good(IDPtrace, fmt.Sprintf("PyTorch's own figures are read from %s", plural(len(f.torchPIDs()), "process")))
	}
	mine := torch.Owner{UID: f.Self.UID, Known: true, Mapped: true}
	yama := f.Self.Yama.Or(0)
	switch {
	case f.Self.Ptrace && yama < 3:
		return good(IDPtrace, "the memory of every process"+f.within()+" may be read (CAP_SYS_PTRACE)")
	case yama == 0:
		d := f.Self.Denied(torch.Owner{UID: f.Self.UID + 1, Known: true})
		return lacking(IDPtrace, Partial, fmt.Sprintf("jobs of user %d can be read, those of others cannot", f.Self.UID), d.Cures[1:]...)
	}
	d := f.Self.Denied(mine)
	return lacking(IDPtrace, Unavailable, "a job that is running already cannot be read: "+d.Why, d.Cures...)
}

func (f *Facts) torchPIDs() map[int]bool {
	pids := map[int]bool{}
	for _, a := range f.Sample.Torch {
		if a.State == monitor.AllocatorOK && a.Origin == monitor.OriginAttach {
			pids[a.PID] = true
		}
	}
	return pids
}

func (f *Facts) yama() Check {
	scope, has := f.Self.Yama.Get()
	switch {
	case !has:
		return good(IDYama, "the kernel has no Yama, or does not show its setting")
	case scope == 0:
		return good(IDYama, "ptrace_scope 0: a user's own processes may be read")
	case scope == 3:
		return lacking(IDYama, Unavailable, "ptrace_scope 3: nobody may read another process until the next boot", "follow the log with --log FILE", "boot with kernel.yama.ptrace_scope=1")
	case f.Self.Ptrace:
		return good(IDYama, fmt.Sprintf("ptrace_scope %d, which CAP_SYS_PTRACE passes%s", scope, f.within()))
	}
	if scope == 1 {
		return lacking(IDYama, Partial, "ptrace_scope 1: a program may read its own children only", "follow the log with --log FILE", "start the job with vramscope run", "see ptrace for every way")
	}
	return lacking(IDYama, Partial, "ptrace_scope 2: only administrators may read other processes", "follow the log with --log FILE", "see ptrace for every way")
}

// within says how far a capability reaches: in a user namespace of its own, to
// the processes of that namespace (user_namespaces(7)).
func (f *Facts) within() string {
	if f.NestedUsers.Or(false) {
		return " in this user namespace"
	}
	return ""
}

func (f *Facts) seccomp() Check {
	if f.ReadvRefused {
		return lacking(IDSeccomp, Partial, "process_vm_readv is refused here (a container runtime's seccomp filter); /proc/PID/mem is read instead, at a small cost",
			"nothing needs to be done", "a newer container runtime, or --cap-add SYS_PTRACE, allows it")
	}
	return good(IDSeccomp, "process_vm_readv is allowed")
}
