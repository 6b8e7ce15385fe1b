package torch

import (
	"fmt"
	"strconv"
)

// The sentences a user reads where figures are missing.
const (
	reasonNotLinux     = "reading PyTorch's figures from a running process works on Linux only; follow its log with --log FILE"
	reasonStarting     = "PyTorch is being loaded"
	reasonNoCUDA       = "PyTorch is loaded and has not started CUDA"
	reasonNoneInUse    = "PyTorch is loaded and no allocator in use was found yet"
	reasonUnused       = "PyTorch has started CUDA and taken no memory yet"
	reasonNoCaching    = "PyTorch's caching is off (PYTORCH_NO_CUDA_MEMORY_CACHING), so its allocator counts nothing"
	reasonOtherLibrary = "PyTorch is loaded and has not started CUDA; the GPU memory of this process belongs to another library"
	reasonAsync        = "the job uses the allocator backend cudaMallocAsync, which keeps no figures that can be read from outside; follow its log with --log FILE"
	reasonPluggable    = "the job uses an allocator of its own (CUDAPluggableAllocator), which keeps no figures that can be read from outside; follow its log with --log FILE"
	reasonNoLayout     = "the process holds GPU memory and PyTorch's allocator was not found in it: this PyTorch build is not known, or PyTorch is loaded and not used; follow its log with --log FILE"
	reasonNeverStarted = "PyTorch's CUDA library is mapped and was never set up, or this PyTorch build is not known; follow its log with --log FILE"
	reasonGone         = "the process ended while it was read"
	reasonBusy         = "the allocator was changing during every try to read it"
	reasonConfirming   = "the figures were read once and are shown after the second read"
	reasonUnverified   = "the figures may be a copy inherited from a parent process that has ended; they are shown once the process allocates or the driver lists it"
	reasonTooLarge     = "PyTorch counts more memory than the GPU has, so the figures are not shown"
)

func reasonAmbiguous(n int) string {
	return fmt.Sprintf("%d allocators in use were found in the process and nothing tells which one counts", n)
}

func reasonForeign(class string) string {
	return "the job uses an allocator that is not known here: " + readable(class)
}

func reasonArch(arch otherArch) string {
	return "PyTorch in this process is " + arch.Error() + "; only x86-64 can be read"
}

func reasonNotLibrary(name string) string {
	if name == "" {
		return "what is mapped as PyTorch's CUDA library cannot be read as one"
	}
	return "the file mapped as " + strconv.QuoteToASCII(name) + " is not a library that can be read"
}

func reasonBroken(why rule) string {
	if why == "" {
		return "PyTorch's allocator keeps moving while it is read"
	}
	return "PyTorch's statistics do not have a known layout (broken rule: " + string(why) + ")"
}

func reasonInherited(ancestor int) string {
	return fmt.Sprintf("a worker forked from process %d: the figures in its memory are a copy of that process's", ancestor)
}

func reasonDisagrees(reserved, used int64) string {
	return fmt.Sprintf("PyTorch counts %s reserved and the driver gives the process %s; pools whose memory was given back or lies elsewhere do this (vLLM sleep mode, managed memory)",
		binarySize(reserved), binarySize(used))
}

func binarySize(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
}

// reasonDenied says why the memory of a process cannot be read and what helps,
// the cheapest first. found says that PyTorch was seen in the process.
func (r *Reader) reasonDenied(pid int, found bool) string {
	what := "PyTorch found, but reading its memory is not permitted"
	if !found {
		what = "whether this process uses PyTorch cannot be seen"
	}
	const follow = "follow its log with --log FILE"
	owner, known := r.proc.owner(pid)
	yama, hasYama := r.rights.Yama.Get()
	switch {
	case r.rights.Ptrace && hasYama && yama == 3:
		return what + ": the kernel forbids it to everybody (Yama ptrace_scope 3); " + follow
	case r.rights.Ptrace:
		return what + ": it runs in another user namespace or a security policy forbids it; " + follow +
			", or run vramscope on the host as root"
	case known && r.rights.UID != 0 && owner != r.rights.UID:
		return fmt.Sprintf("%s: it belongs to user %d; %s, or run vramscope with sudo", what, owner, follow)
	case r.rights.UID == 0:
		return what + ": this container lacks the capability SYS_PTRACE; " + follow +
			", or start the container with --cap-add SYS_PTRACE"
	case hasYama && yama == 3:
		return what + ": the kernel forbids it to everybody (Yama ptrace_scope 3); " + follow
	case hasYama && yama == 2:
		return what + ": the kernel allows it to administrators only (Yama ptrace_scope 2); " + follow +
			", or run vramscope with sudo"
	case found && hasYama && yama == 1:
		return what + ": the kernel allows it for a program's own children only (Yama ptrace_scope 1); " + follow +
			", start the job with vramscope run, or run vramscope with sudo"
	}
	return what + ": the process is protected (not dumpable); " + follow + ", or run vramscope with sudo"
}
