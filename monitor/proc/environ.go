package proc

import (
	"bytes"
	"errors"
	"io"
)

// environment is the part of a process's environment that is kept, by name.
type environment map[string]string

// allowed is the closed list of variables that may be kept. Nothing else of an
// environment leaves the buffer it was read into.
var allowed = map[string]bool{
	"RANK": true, "LOCAL_RANK": true, "WORLD_SIZE": true, // torchrun, accelerate, deepspeed
	"OMPI_COMM_WORLD_RANK": true, "OMPI_COMM_WORLD_LOCAL_RANK": true, "OMPI_COMM_WORLD_SIZE": true, // Open MPI
	"SLURM_PROCID": true, "SLURM_LOCALID": true, "SLURM_NTASKS": true, "SLURM_STEP_NUM_TASKS": true, // srun
	"PMI_RANK": true, "PMI_LOCAL_RANK": true, "PMI_SIZE": true, "MPI_LOCALRANKID": true, // MPICH, Intel MPI
	"CUDA_VISIBLE_DEVICES": true, "CUDA_DEVICE_ORDER": true,
	"PYTORCH_ALLOC_CONF": true, "PYTORCH_CUDA_ALLOC_CONF": true, "PYTORCH_NO_CUDA_MEMORY_CACHING": true,
}

// errOverwritten says that a process wrote over its own environment.
var errOverwritten = errors.New("the process has overwritten its environment, as programs that set their own title do")

// environBytes is the size of the buffer for reading an environment, and the
// longest value that is kept whole.
const environBytes = 32 << 10

// parseEnviron reads NAME=VALUE entries that each end in NUL and keeps the
// allowed ones. The first of several entries counts, as in getenv(3). The
// buffer is wiped before it returns.
func parseEnviron(r io.Reader, buf []byte) (environment, error) {
	defer clear(buf)
	env := environment{}
	held, some, entries, skipping := 0, false, false, false
	for {
		n, err := r.Read(buf[held:])
		some = some || n > 0
		held += n
		rest := buf[:held]
		for {
			entry, after, ended := bytes.Cut(rest, []byte{0})
			if !ended && err == nil && len(entry) < len(buf) {
				break
			}
			if !skipping {
				entries = env.keep(entry) || entries
			}
			// An entry longer than the buffer is passed over up to its end.
			skipping = !ended && err == nil
			rest = after
			if !ended {
				break
			}
		}
		held = copy(buf, rest)
		switch {
		case err == io.EOF && some && !entries:
			return nil, errOverwritten
		case err == io.EOF:
			return env, nil
		case err != nil:
			return nil, err
		}
	}
}

// keep keeps the entry when it is allowed. It tells whether it is an entry at
// all.
func (env environment) keep(entry []byte) bool {
	name, value, ok := bytes.Cut(entry, []byte{'='})
	if !ok || len(name) == 0 {
		return false
	}
	if !allowed[string(name)] {
		return true
	}
	if _, twice := env[string(name)]; !twice {
		env[string(name)] = string(value)
	}
	return true
}
