package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/nvml"
)

const cureOtherMachine = "follow the log of a job on another machine with --log FILE, which needs no driver"

// DriverOf says how the driver stands, given the error of the driver's source.
func DriverOf(err error) Driver {
	if err == nil {
		return Driver{}
	}
	d := Driver{Err: err}
	switch {
	case errors.Is(err, nvml.ErrNoLibrary):
		d.Err = nvml.ErrNoLibrary
		d.Cure = "give the container the GPUs (docker run --gpus all), or install the NVIDIA driver; or " + cureOtherMachine
	case errors.Is(err, nvml.ErrNoDriver):
		d.Err = nvml.ErrNoDriver
		d.Cure = "load it (modprobe nvidia), in a container give it the GPUs (docker run --gpus all); or " + cureOtherMachine
	case errors.Is(err, nvml.ErrNoGPU):
		d.Err = nvml.ErrNoGPU
		d.Cure = "give the container the GPUs (docker run --gpus all, NVIDIA_VISIBLE_DEVICES); or " + cureOtherMachine
	case errors.Is(err, nvml.ErrNotBuilt):
		d.Err = nvml.ErrNotBuilt
		d.Cure = "use the Linux build with the driver interface; or " + cureOtherMachine
	default:
		// The driver's own failures carry their cure behind the colon, and may
		// have another colon inside brackets.
		what, cure, found := strings.Cut(err.Error(), "): ")
		if found {
			what += ")"
		} else {
			what, cure, _ = strings.Cut(err.Error(), ": ")
		}
		d.Err, d.Cure = errors.New(what), cure
	}
	return d
}

func (f *Facts) nvml() Check {
	if f.Driver.Err != nil && len(f.Sample.GPUs) == 0 {
		return lacking(IDNVML, Unavailable, f.Driver.Err.Error(), f.Driver.Cure)
	}
	what := fmt.Sprintf("driver %s, %s", orUnknown(f.Sample.Driver), plural(len(f.Sample.GPUs), "GPU"))
	if f.Driver.Err != nil {
		return lacking(IDNVML, Unavailable, what+": "+f.Driver.Err.Error(), f.Driver.Cure)
	}
	state, reason := f.source("nvml")
	switch state {
	case "", "ok":
		return good(IDNVML, what)
	case "unavailable":
		return lacking(IDNVML, Unavailable, what+": "+reason, "look for NVRM and Xid lines in the kernel log (dmesg)")
	}
	return lacking(IDNVML, Partial, what+": "+reason, "see the answers below; a device that stays silent has NVRM or Xid lines in the kernel log (dmesg)")
}

func orUnknown(s string) string {
	if s == "" {
		return "of unknown version"
	}
	return s
}

// gpus says what is special about the devices: split, without memory of their
// own, broken.
func (f *Facts) gpus() Check {
	said, cures := xidFacts(f.Xids)
	if len(f.Sample.GPUs) == 0 {
		return lacking(IDGPU, Unavailable, strings.Join(append([]string{"no GPU is shown here"}, said...), "; "), append([]string{"see nvml"}, cures...)...)
	}
	state := OK
	if len(cures) > 0 {
		state = Partial
	}
	for i := range f.Sample.GPUs {
		g := &f.Sample.GPUs[i]
		what, cure := gpuFacts(g)
		for _, w := range what {
			said = append(said, fmt.Sprintf("GPU %d: %s", g.Index, w))
		}
		if len(cure) > 0 || g.State != monitor.StateOK {
			state = Partial
		}
		cures = append(cures, cure...)
	}
	if len(said) == 0 {
		said = append(said, "every GPU answers, none is split or shares the system's memory")
	}
	if err := f.Driver.Unwatched; err != nil {
		said = append(said, "errors of the GPU (Xid) are not told as they happen: "+err.Error())
	}
	return lacking(IDGPU, state, strings.Join(said, "; "), distinct(cures)...)
}

// gpuFacts returns what is to be said of a device, and what would help where
// something is missing.
func gpuFacts(g *monitor.GPU) (said, cures []string) {
	if g.State != monitor.StateOK {
		said = append(said, g.Reason)
	}
	if on, _ := g.MIG.Get(); on {
		said = append(said, "it is split into MIG instances, figures are those of the instances visible here")
		if g.State != monitor.StateOK {
			cures = append(cures, "the whole of a split GPU is shown to root, or in a container with NVIDIA_MIG_MONITOR_DEVICES=all and CAP_SYS_ADMIN")
		}
	}
	switch {
	case g.State == monitor.StatePartial && g.Memory.UsedBytes.Known() && len(cures) == 0:
		cures = append(cures, "run vramscope as root, or on the host of this machine, where the driver tells more")
	case g.Memory.Source == monitor.MemorySystem:
		said = append(said, "it shares the system's memory, so total and free are estimates from /proc/meminfo")
	case g.State == monitor.StatePartial && !g.Memory.UsedBytes.Known():
		cures = append(cures, "a newer driver, or the host instead of a container, gives the memory figures")
	}
	if g.State == monitor.StateStale || g.State == monitor.StateUnavailable {
		cures = append(cures, "look for NVRM and Xid lines in the kernel log (dmesg); a GPU that is lost needs a reset (nvidia-smi -r) or a reboot")
	}
	if n := g.ECC.UncorrectedCount.Or(0); n > 0 {
		said = append(said, fmt.Sprintf("%d uncorrected memory errors since the driver was loaded", n))
		cures = append(cures, "stop the jobs and reset the GPU (nvidia-smi -r); have it replaced when the errors return")
	}
	if pending, _ := g.ECC.PendingRowRemap.Get(); pending {
		said = append(said, "a bad row of memory is taken out of use at the next reset")
		cures = append(cures, "reset the GPU when it is idle (nvidia-smi -r)")
	}
	if failed, _ := g.ECC.RowRemapFailure.Get(); failed {
		said = append(said, "it has no spare row of memory left")
		cures = append(cures, "have the GPU replaced")
	}
	return said, cures
}
