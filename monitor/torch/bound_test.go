//go:build linux

package torch

import (
	"path/filepath"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

func TestACppProgramThatUsesTheAllocatorByNameIsRead(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"-DBACKEND=0", "-DBACKEND=1"} {
		lib := library(t, backend)
		p := startProgram(t, compile(t, "linked"+backend, "program.cpp", "-DLINKED", lib, "-Wl,-rpath,"+filepath.Dir(lib), "-ldl", "-pthread"), "")
		p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1000")
		if backend == "-DBACKEND=0" {
			wantBytes(t, readOne(t, listed(p.pid), p.pid), 1024, 20971520)
		} else {
			wantState(t, readOne(t, listed(p.pid), p.pid), monitor.AllocatorAsync, "cudaMallocAsync")
		}
	}
}
