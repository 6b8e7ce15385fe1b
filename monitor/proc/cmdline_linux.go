package proc

import (
	"context"

	"github.com/shirou/gopsutil/v3/common"
	"github.com/shirou/gopsutil/v3/process"
)

// gopsutil reads command lines below a proc root of our choice. It is asked
// nothing else: its status parser fails on user ids from 2³¹ on, its
// environment reader keeps every variable, and its calls for memory and CPU
// time open a file each where one line of stat has it all.
type gopsutil struct{ root string }

func (g gopsutil) commandLine(ctx context.Context, pid int) ([]string, error) {
	ctx = context.WithValue(ctx, common.EnvKey, common.EnvMap{common.HostProcEnvKey: g.root})
	// A literal, because process.NewProcess asks the kernel whether the PID
	// exists here, which says nothing about another proc root.
	p := process.Process{Pid: int32(pid)}
	return p.CmdlineSliceWithContext(ctx)
}

// systemCommandLines returns the reader of command lines below root.
func systemCommandLines(root string) commandLines { return gopsutil{root: root} }
