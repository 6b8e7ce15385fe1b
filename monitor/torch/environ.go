package torch

import (
	"bytes"
	"strings"
)

// devicesEnv is the part of a process's environment at its start that decides
// which GPUs CUDA numbers how. What the program itself sets later (os.environ
// in Python) does not show in /proc/PID/environ.
type devicesEnv struct {
	visible    string // CUDA_VISIBLE_DEVICES
	hasVisible bool
	order      string // CUDA_DEVICE_ORDER
	container  string // NVIDIA_VISIBLE_DEVICES of the container runtime
	noCaching  bool   // PYTORCH_NO_CUDA_MEMORY_CACHING is set, to whatever
}

// parseEnviron reads the text of /proc/PID/environ (proc_pid_environ(5)).
func parseEnviron(b []byte) devicesEnv {
	var env devicesEnv
	for len(b) > 0 {
		entry := b
		if i := bytes.IndexByte(b, 0); i >= 0 {
			entry, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		name, value, ok := bytes.Cut(entry, []byte("="))
		if !ok || len(value) > 4096 {
			continue
		}
		switch string(name) {
		case "CUDA_VISIBLE_DEVICES":
			env.visible, env.hasVisible = string(value), true
		case "CUDA_DEVICE_ORDER":
			env.order = string(value)
		case "PYTORCH_NO_CUDA_MEMORY_CACHING":
			env.noCaching = true
		case "NVIDIA_VISIBLE_DEVICES":
			env.container = string(value)
		}
	}
	return env
}

// unmatched stands for a visible device that is no GPU of the sample.
const unmatched = -1

// visibleGPUs returns the NVML indices in the order of the CUDA ordinals, as
// the CUDA C programming guide (environment variables) has it; nil when the
// rule cannot be applied. foreign says that the process sees another file
// system than this program does, so that it may have other GPUs.
func (env devicesEnv) visibleGPUs(gpus []gpuFact, foreign bool) []int {
	if foreign && env.container != "" && env.container != "all" {
		return nil
	}
	if !env.hasVisible {
		if !env.numbersAgree(gpus) {
			return nil
		}
		out := make([]int, 0, len(gpus))
		for i := range gpus {
			if gpus[i].mig {
				return nil
			}
			out = append(out, gpus[i].index)
		}
		return out
	}
	var out []int
	for entry := range strings.SplitSeq(env.visible, ",") {
		index, ok := env.resolve(strings.TrimSpace(entry), gpus)
		if !ok {
			break // what follows an entry that names nothing is not visible
		}
		for _, seen := range out {
			if seen == index && index != unmatched {
				return nil
			}
		}
		out = append(out, index)
	}
	return out
}

// numbersAgree tells whether CUDA's own numbering is surely NVML's: by bus
// number, which is also what "fastest first" comes to when all are alike.
func (env devicesEnv) numbersAgree(gpus []gpuFact) bool {
	if env.order == "PCI_BUS_ID" {
		return true
	}
	for i := range gpus {
		if gpus[i].name == "" || gpus[i].name != gpus[0].name {
			return false
		}
	}
	return true
}

// resolve returns the NVML index of one entry of CUDA_VISIBLE_DEVICES: a
// number, the beginning of a UUID, or a MIG instance.
func (env devicesEnv) resolve(entry string, gpus []gpuFact) (int, bool) {
	switch {
	case strings.HasPrefix(entry, "MIG-"):
		return resolveMIG(entry, gpus), true
	case strings.HasPrefix(entry, "GPU-"):
		return byPrefix(entry, gpus)
	}
	number, ok := decimal([]byte(entry))
	if !ok || number >= uint64(len(gpus)) {
		return unmatched, false
	}
	if !env.numbersAgree(gpus) || gpus[number].mig {
		return unmatched, true
	}
	return gpus[number].index, true
}

// resolveMIG knows the GPU of an instance from its older form of name,
// MIG-GPU-uuid/gi/ci, or when only one GPU is split.
func resolveMIG(entry string, gpus []gpuFact) int {
	parent, _, _ := strings.Cut(strings.TrimPrefix(entry, "MIG-"), "/")
	if strings.HasPrefix(parent, "GPU-") {
		if index, ok := byPrefix(parent, gpus); ok {
			return index
		}
		return unmatched
	}
	split := unmatched
	for i := range gpus {
		if gpus[i].mig {
			if split != unmatched {
				return unmatched
			}
			split = gpus[i].index
		}
	}
	return split
}

// byPrefix returns the one GPU whose UUID begins so.
func byPrefix(prefix string, gpus []gpuFact) (int, bool) {
	found := unmatched
	for i := range gpus {
		if strings.HasPrefix(gpus[i].uuidRaw, prefix) {
			if found != unmatched {
				return unmatched, false
			}
			found = gpus[i].index
		}
	}
	return found, found != unmatched
}

// readEnviron reads what matters of the environment that a process was started
// with. It does not change while a program runs.
func (r *Reader) readEnviron(t *target) {
	t.env, t.foreign = devicesEnv{}, true
	b, err := r.proc.file(t.pid, "environ")
	if err != nil {
		t.visibleOf = -1
		return
	}
	t.env = parseEnviron(b)
	own := readLink(r.proc.root + "/self/ns/mnt")
	t.foreign = own == "" || own != r.proc.link(t.pid, "ns/mnt")
	t.visibleOf = 0
	t.visibleGPUs = nil
}

// visible returns the GPUs of the process's ordinals by its environment.
func (r *Reader) visible(t *target) []int {
	if t.visibleOf >= 0 && t.visibleOf != len(r.gpus) {
		t.visibleOf = len(r.gpus)
		t.visibleGPUs = t.env.visibleGPUs(r.gpus, t.foreign)
	}
	return t.visibleGPUs
}
