package monitor

import "time"

// LogLine is one line of a job's output as it was read, cut and without its
// line end. It is raw: sanitise before drawing, scrub before writing.
type LogLine struct {
	Time   time.Time // when it was read, or the recording's time
	Source string    // file name, or "stdin"
	PID    int       // the job's process when known, else 0
	Number int64     // line number in its source from 1, 0 when not known (opened in the middle)
	Text   string
}

// LogKind says what a log reading is about.
type LogKind string

// The kinds of log readings.
const (
	LogMemory   LogKind = "memory"
	LogOOM      LogKind = "oom"
	LogProgress LogKind = "progress"
)

// UnitBasis says how the unit of a printed figure was settled.
type UnitBasis string

// How a unit was settled.
const (
	UnitStated   UnitBasis = "stated"   // GiB, bytes: the text says it
	UnitInferred UnitBasis = "inferred" // evidence in this or earlier lines decides
	UnitAssumed  UnitBasis = "assumed"  // nothing decides; the commoner meaning
)

// LogReading is what one line (or one table, or one error text) of a log says.
type LogReading struct {
	Time     time.Time
	Source   string
	PID      int   // as in LogLine
	Line     int64 // first line
	Kind     LogKind
	Producer string // family that printed it, "" for a user's own print
	Unit     UnitBasis

	AllocatedBytes    Reading[int64]
	ReservedBytes     Reading[int64]
	MaxAllocatedBytes Reading[int64]
	MaxReservedBytes  Reading[int64]
	DeviceUsedBytes   Reading[int64]
	DeviceTotalBytes  Reading[int64]
	// PeakReset tells whether the Max figures count since the producer's last
	// reset rather than since start; unknown when the format does not tell.
	PeakReset Reading[bool]

	Rank  Reading[int]
	GPU   Reading[int] // index inside the visible devices, as printed
	Step  Reading[int64]
	Epoch Reading[float64]
	// StepsPerSecond as printed ("2.78it/s"); of whatever the producer counts.
	StepsPerSecond Reading[float64]
	Phase          string // epoch, train, eval, checkpoint, save, load, restart; empty when none

	OOM *LogOOMFigures // for Kind LogOOM
}

// LogOOMFigures is what an out-of-memory text says.
type LogOOMFigures struct {
	Exception string // class as printed; empty when the text has none
	API       string // cuda, hip…
	Allocator string // cudaMallocAsync; empty for the native one
	Cause     string // who failed, when not PyTorch's allocator itself: NCCL, CUBLAS_STATUS_ALLOC_FAILED, driver…
	Likely    bool   // out of memory is the usual cause of such a text, not the only one
	Count     int64  // for texts that only count failures

	RequestedBytes   Reading[int64]
	TotalBytes       Reading[int64]
	FreeBytes        Reading[int64]
	AllocatedBytes   Reading[int64]
	ReservedBytes    Reading[int64] // allocated included, in every era
	CachedBytes      Reading[int64] // as printed by 1.0 to 1.3: allocated excluded
	UnallocatedBytes Reading[int64] // reserved but unallocated, as printed
	ProcessBytes     Reading[int64] // "this process has … in use"
	AllowedBytes     Reading[int64] // memory fraction
	PrivatePoolBytes Reading[int64]
	Others           []LogOOMProcess
}

// LogOOMProcess is another holder named by an out-of-memory text.
type LogOOMProcess struct {
	PID       int
	UsedBytes int64
}

// Mark is a named moment on the time axis.
type Mark struct {
	Time time.Time
	Text string
}
