package proc

import (
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// settings are the facts of a process that its environment at start tells.
type settings struct {
	rank, localRank, world                 monitor.Reading[int]
	visibleDevices, deviceOrder, allocConf monitor.Reading[string]
	noCaching                              monitor.Reading[bool]
}

// family is how one launcher tells a process its place.
type family struct {
	rank         string
	local, world []string // the first that is set counts
}

// families in the order in which they are believed: torchrun under srun sets
// RANK for the process, while SLURM_PROCID is that of torchrun. All three
// figures are taken from one family, because those of two do not fit together.
var families = []family{
	{"RANK", []string{"LOCAL_RANK"}, []string{"WORLD_SIZE"}},
	{"OMPI_COMM_WORLD_RANK", []string{"OMPI_COMM_WORLD_LOCAL_RANK"}, []string{"OMPI_COMM_WORLD_SIZE"}},
	{"SLURM_PROCID", []string{"SLURM_LOCALID"}, []string{"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}},
	{"PMI_RANK", []string{"PMI_LOCAL_RANK", "MPI_LOCALRANKID"}, []string{"PMI_SIZE"}},
}

// settingsOf reads the facts out of an environment that could be read.
func settingsOf(env environment) settings {
	s := settings{
		visibleDevices: env.text("CUDA_VISIBLE_DEVICES"),
		deviceOrder:    env.text("CUDA_DEVICE_ORDER"),
		allocConf:      env.text("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"),
	}
	// PyTorch asks whether the variable is there, whatever its value
	// (forceUncachedAllocator in c10/cuda/CUDACachingAllocator.cpp).
	_, off := env["PYTORCH_NO_CUDA_MEMORY_CACHING"]
	s.noCaching = monitor.Known(off)
	f := families[0]
	for _, candidate := range families {
		if env.figure(candidate.rank).Known() {
			f = candidate
			break
		}
	}
	s.rank, s.localRank, s.world = env.figure(f.rank), env.figure(f.local...), env.figure(f.world...)
	return s
}

// unknownSettings are those of a process whose environment cannot be read.
func unknownSettings(why monitor.Reason) settings {
	number := monitor.Unknown[int](why.Code, why.Detail)
	text := monitor.Unknown[string](why.Code, why.Detail)
	return settings{number, number, number, text, text, text, monitor.Unknown[bool](why.Code, why.Detail)}
}

func (env environment) text(names ...string) monitor.Reading[string] {
	for _, name := range names {
		if value, set := env[name]; set {
			return monitor.Known(strings.ToValidUTF8(value, "\ufffd"))
		}
	}
	return monitor.Unknown[string](monitor.NotApplicable, names[0]+" was not set when the process started")
}

func (env environment) figure(names ...string) monitor.Reading[int] {
	for _, name := range names {
		value, set := env[name]
		if !set {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
		if err != nil {
			return monitor.Unknown[int](monitor.Failed, name+" was not a number when the process started")
		}
		return monitor.Known(int(n))
	}
	return monitor.Unknown[int](monitor.NotApplicable, names[0]+" was not set when the process started")
}
