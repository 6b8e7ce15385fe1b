package doctor

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/vramscope/vramscope/monitor"
)

// Format is the version of the report's JSON.
const Format = 1

// The identifiers of the checks, in the order of the report.
const (
	IDNVML     = "nvml"
	IDGPU      = "gpu"
	IDPIDs     = "pid-namespace"
	IDUsers    = "user-namespace"
	IDProc     = "proc"
	IDPtrace   = "ptrace"
	IDYama     = "yama"
	IDSeccomp  = "seccomp"
	IDLog      = "log"
	IDCgroup   = "cgroup"
	IDCPU      = "cpu"
	IDShm      = "shm"
	IDTerminal = "terminal"
)

// Check is the answer about one source or right.
type Check struct {
	ID     string `json:"id"`
	State  State  `json:"state"`
	Reason string `json:"reason"` // what was found; a sentence
	Cure   string `json:"cure"`   // what would help, cheapest first; empty when nothing is missing
}

// State is how well something works here: ok, partial or unavailable.
type State string

// The states of a check.
const (
	OK          State = "ok"
	Partial     State = "partial"
	Unavailable State = "unavailable"
)

// Report is what `vramscope doctor` says.
type Report struct {
	Format int     `json:"format"`
	Checks []Check `json:"checks"`
	Jobs   []Job   `json:"jobs"`
}

// Job is the environment of one process that uses a GPU or has PyTorch loaded.
// Unknown figures are nil.
type Job struct {
	PID       int     `json:"pid"`
	Name      string  `json:"name"`
	User      string  `json:"user"`
	GPUs      []int   `json:"gpus"`
	Rank      *int    `json:"rank"`
	Container *string `json:"container"` // runtime:id

	Allocator    string  `json:"allocator"` // state, as in once --json; empty when PyTorch was not found in it
	TorchVersion *string `json:"torch_version"`
	AllocConf    *string `json:"alloc_conf"` // PYTORCH_ALLOC_CONF or PYTORCH_CUDA_ALLOC_CONF at start

	MemoryLimit *int64   `json:"memory_limit"` // of its control groups, bytes
	MemoryUsed  *int64   `json:"memory_used"`
	OOMKills    *int64   `json:"oom_kills"`
	LimitHits   *int64   `json:"limit_hits"`
	CPUs        *float64 `json:"cpus"` // quota, in processors
	Throttled   *int64   `json:"throttled"`
	Cpuset      *string  `json:"cpuset"`
	ShmTotal    *int64   `json:"shm_total"` // /dev/shm as the job sees it, bytes
	ShmUsed     *int64   `json:"shm_used"`

	Checks []Check `json:"checks"` // what is wrong with its settings and limits; the ids are those of findings, or of checks
}

// WriteJSON writes the report as one JSON object.
func (r Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write the report as JSON: %w", err)
	}
	return nil
}

// pointer returns the value of a reading for JSON, nil when it is unknown.
func pointer[T any](r monitor.Reading[T]) *T {
	if v, ok := r.Get(); ok {
		return &v
	}
	return nil
}
