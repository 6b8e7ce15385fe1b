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
	reasonWaiting      = "many processes were found at once and this one has not been looked at yet"
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
