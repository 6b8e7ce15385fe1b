package chrome

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/widget/chart"
)

// recording is the origin of the driver's figures in a replay: the driver is
// not asked then.
const recording = "recording"

// MemoryOrigin returns where a device's own figures come from, in the word that
// every screen uses; empty when that is not known.
func MemoryOrigin(st *screen.State, source monitor.MemorySource) string {
	switch source {
	case monitor.MemoryV2, monitor.MemoryV1:
		if st.Position != nil {
			return recording
		}
		return string(monitor.OriginNVML)
	case monitor.MemorySystem:
		return "estimate"
	case monitor.MemoryFile:
		return recording
	}
	return ""
}

// DeviceSources says where the figures of a device come from.
func DeviceSources(st *screen.State, g *monitor.GPU, l *monitor.Layers) chart.Sources {
	return chart.Sources{Used: MemoryOrigin(st, g.Memory.Source), Reserved: string(l.Origin), Allocated: string(l.Origin)}
}

// ProcessSources says where the figures of a process come from.
func ProcessSources(st *screen.State, r *procs.Row) chart.Sources {
	out := chart.Sources{Used: string(monitor.OriginNVML)}
	g, ok := st.Sample.GPU(r.GPU.Or(-1))
	switch {
	case r.Holder != nil && r.Holder.Assumed:
		out.Used = string(monitor.OriginAssumed)
	case st.Position != nil, ok && g.Memory.Source == monitor.MemoryFile:
		out.Used = recording
	}
	if a := r.Allocator; a != nil && a.State == monitor.AllocatorOK {
		out.Reserved, out.Allocated = string(a.Origin), string(a.Origin)
	}
	return out
}

// Unseen returns how much of a device's memory somebody holds who cannot be
// seen here; false when that is too little to be anybody's.
func Unseen(l *monitor.Layers) (monitor.Reading[int64], bool) {
	n, ok := l.Unseen.Get()
	return l.Unseen, ok && n >= monitor.UnseenFrom
}

// NotVisible says why memory of others cannot be told apart.
const NotVisible = "not visible from this PID namespace"
