package formats

import "github.com/vramscope/vramscope/monitor"

// JSONReading is a reading as `vramscope parse --json` prints it: bytes as
// integers, keys that the line does not tell are absent.
type JSONReading struct {
	Line              int64    `json:"line"`
	Kind              string   `json:"kind"`
	AllocatedBytes    *int64   `json:"allocated_bytes,omitempty"`
	ReservedBytes     *int64   `json:"reserved_bytes,omitempty"`
	MaxAllocatedBytes *int64   `json:"max_allocated_bytes,omitempty"`
	MaxReservedBytes  *int64   `json:"max_reserved_bytes,omitempty"`
	DeviceUsedBytes   *int64   `json:"device_used_bytes,omitempty"`
	DeviceTotalBytes  *int64   `json:"device_total_bytes,omitempty"`
	Rank              *int     `json:"rank,omitempty"`
	GPU               *int     `json:"gpu,omitempty"`
	Step              *int64   `json:"step,omitempty"`
	Epoch             *float64 `json:"epoch,omitempty"`
	Producer          string   `json:"producer"`
	Unit              string   `json:"unit"`
	OOM               *JSONOOM `json:"oom,omitempty"`
}

// JSONOOM is what an out-of-memory text says, with the keys of the corpus.
type JSONOOM struct {
	Exception                string        `json:"exception,omitempty"`
	API                      string        `json:"api,omitempty"`
	Allocator                string        `json:"allocator,omitempty"`
	Cause                    string        `json:"cause,omitempty"`
	Likely                   bool          `json:"likely,omitempty"`
	Count                    int64         `json:"count,omitempty"`
	RequestedBytes           *int64        `json:"requested_bytes,omitempty"`
	TotalBytes               *int64        `json:"total_bytes,omitempty"`
	FreeBytes                *int64        `json:"free_bytes,omitempty"`
	AllocatedBytes           *int64        `json:"allocated_bytes,omitempty"`
	CachedBytes              *int64        `json:"cached_bytes,omitempty"`
	ReservedBytes            *int64        `json:"reserved_bytes,omitempty"`
	ReservedUnallocatedBytes *int64        `json:"reserved_unallocated_bytes,omitempty"`
	ProcessBytes             *int64        `json:"process_bytes,omitempty"`
	Processes                []JSONProcess `json:"processes,omitempty"`
	AllowedBytes             *int64        `json:"allowed_bytes,omitempty"`
	PrivatePoolBytes         *int64        `json:"private_pool_bytes,omitempty"`
}

// JSONProcess is another process that an out-of-memory text names.
type JSONProcess struct {
	PID   int   `json:"pid"`
	Bytes int64 `json:"bytes"`
}

// JSON returns a reading in the form of `vramscope parse --json`.
func JSON(r monitor.LogReading) JSONReading {
	j := JSONReading{
		Line: r.Line, Kind: string(r.Kind), Producer: r.Producer, Unit: string(r.Unit),
		AllocatedBytes: pointer(r.AllocatedBytes), ReservedBytes: pointer(r.ReservedBytes),
		MaxAllocatedBytes: pointer(r.MaxAllocatedBytes), MaxReservedBytes: pointer(r.MaxReservedBytes),
		DeviceUsedBytes: pointer(r.DeviceUsedBytes), DeviceTotalBytes: pointer(r.DeviceTotalBytes),
		Rank: pointer(r.Rank), GPU: pointer(r.GPU), Step: pointer(r.Step), Epoch: pointer(r.Epoch),
	}
	if r.OOM != nil {
		j.OOM = jsonOOM(r.OOM)
	}
	return j
}

func jsonOOM(f *monitor.LogOOMFigures) *JSONOOM {
	o := &JSONOOM{
		Exception: f.Exception, API: f.API, Allocator: f.Allocator, Cause: f.Cause, Likely: f.Likely, Count: f.Count,
		RequestedBytes: pointer(f.RequestedBytes), TotalBytes: pointer(f.TotalBytes), FreeBytes: pointer(f.FreeBytes),
		AllocatedBytes: pointer(f.AllocatedBytes), CachedBytes: pointer(f.CachedBytes), ReservedBytes: pointer(f.ReservedBytes),
		ReservedUnallocatedBytes: pointer(f.UnallocatedBytes), ProcessBytes: pointer(f.ProcessBytes),
		AllowedBytes: pointer(f.AllowedBytes), PrivatePoolBytes: pointer(f.PrivatePoolBytes),
	}
	for _, h := range f.Others {
		o.Processes = append(o.Processes, JSONProcess{PID: h.PID, Bytes: h.UsedBytes})
	}
	return o
}

func pointer[T any](r monitor.Reading[T]) *T {
	if v, ok := r.Get(); ok {
		return &v
	}
	return nil
}
