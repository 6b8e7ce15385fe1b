package script

import (
	"fmt"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// NewMachine returns a machine of n devices with m processes spread over them,
// each a healthy job of its own size.
func NewMachine(n, m int) Machine {
	machine := Machine{GPUs: make([]GPU, n)}
	for i := range m {
		low := int64(2+i%7) * GiB
		machine.Jobs = append(machine.Jobs, Healthy(400+i, i%max(n, 1), low))
		machine.Jobs[i].Command = fmt.Sprintf("python train.py --job %d", i)
	}
	return machine
}

// Healthy is a job of steps of two seconds whose reserved settled long ago.
func Healthy(pid, gpu int, low int64) Job {
	return Job{PID: pid, GPU: gpu, Reserved: Steady(low*2 + GiB), Allocated: Sawtooth(low, low*2, 2*time.Second)}
}

// Leaking is a job that keeps bytesPerSecond more all the time.
func Leaking(pid, gpu int, low, bytesPerSecond int64) Job {
	allocated := Sum(Sawtooth(low, low*2, 2*time.Second), Leak(0, bytesPerSecond))
	return Job{PID: pid, GPU: gpu, Allocated: allocated, Reserved: Sum(Steady(low*2+GiB), Leak(0, bytesPerSecond))}
}

// Growing is a job whose reserved climbs while allocated does not.
func Growing(pid, gpu int, low, rise int64, every time.Duration, limit int64) Job {
	return Job{PID: pid, GPU: gpu, Allocated: Sawtooth(low/2, low, 2*time.Second), Reserved: Stairs(low, rise, every, limit)}
}

// TwoGPUs is the machine of the sketches: one job of two ranks, on GPU 0 its
// reserved climbs while allocated stays, and somebody else's notebook, which
// may not be read.
func TwoGPUs() Machine {
	rank0 := Growing(446, 0, 33*GiB, 2*GiB, 9*time.Second, 92*GiB)
	rank1 := Healthy(447, 1, 10*GiB)
	rank0.World, rank1.World, rank1.Rank = 2, 2, 1
	notebook := Job{PID: 901, GPU: 0, User: "bob", Name: "jupyter", Command: "jupyter lab", Reserved: Steady(3 * GiB), NonTorch: Steady(GiB),
		State: monitor.AllocatorDenied, Reason: "reading its memory is not permitted"}
	return Machine{GPUs: make([]GPU, 2), Jobs: []Job{rank0, rank1, notebook}}
}
