package monitor

import (
	"strconv"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// HolderKind tells in which of the driver's lists a process stands.
type HolderKind uint8

// The driver's process lists; one process can be in several.
const (
	HolderCompute HolderKind = 1 << iota
	HolderGraphics
	HolderMPS
)

// Holder is a process that holds memory on one device, as the driver lists it.
type Holder struct {
	PID       int            // in the PID namespace of the driver's answer, see InNamespace
	GPU       int            // NVML index
	UsedBytes Reading[int64] // whole process on this device
	Kinds     HolderKind
	Name      string // the driver's or the kernel's short name; may be empty
	// InNamespace is false when no process of that number can be seen here, so
	// that the number must not be joined with a local process.
	InNamespace bool
	// Instance is the MIG GPU instance that the memory is on.
	Instance Reading[int]
	// Assumed says that the driver does not tell of this process, or not its
	// memory: it is the one process here that has the device open, so that what
	// nobody else holds is taken for its own.
	Assumed bool
	// AssumedProcess says that not only the memory but also which process it is
	// follows from that rule: the driver listed a number of another namespace,
	// or nobody.
	AssumedProcess bool
}

// Process is what the operating system tells of a process that uses a GPU or
// has PyTorch loaded.
type Process struct {
	PID        int
	ParentPID  int
	StartTicks uint64 // field 22 of /proc/PID/stat; with PID it names a process for good
	Started    time.Time
	User       string
	Name       string // short name, at most 15 bytes
	Command    string // command line, words joined by spaces, scrubbed of secrets
	State      string // one letter: R S D Z T…
	Threads    int

	// State, Threads and these two may be read up to half a second before the sample.
	CPUPercent Reading[float64] // of one core, since they were read before
	HostBytes  Reading[int64]   // resident set

	Container Container

	Rank           Reading[int] // RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID
	LocalRank      Reading[int]
	World          Reading[int]
	VisibleDevices Reading[string] // CUDA_VISIBLE_DEVICES at start
	DeviceOrder    Reading[string] // CUDA_DEVICE_ORDER at start
	AllocConf      Reading[string] // PYTORCH_ALLOC_CONF or PYTORCH_CUDA_ALLOC_CONF at start
	NoCaching      Reading[bool]   // PYTORCH_NO_CUDA_MEMORY_CACHING at start
	TorchVersion   Reading[string]

	// InnerPID is the PID in the process's own PID namespace, which is the
	// number that the job itself prints (last number of NSpid in
	// /proc/PID/status, Linux 4.1).
	InnerPID Reading[int]
}

// Container is where a process runs, read from its cgroup. Runtime is empty
// for a process outside any container or job.
type Container struct {
	Runtime    string // docker, podman, containerd, kubernetes, slurm, lxc, systemd…
	ID         string // container id, shortened to 12 digits, or job id
	Pod        string // kubernetes pod uid
	LimitBytes Reading[int64]
}

// ProcessKey names a process for good: PIDs are reused, start times are not.
type ProcessKey struct {
	PID        int
	StartTicks uint64
}

// Key returns the name of the process that outlives a reuse of its PID.
func (p Process) Key() ProcessKey { return ProcessKey{PID: p.PID, StartTicks: p.StartTicks} }
