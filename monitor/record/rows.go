package record

// Format is the version of the recording format and of `once --json`.
const Format = 1

// The types of rows.
const (
	typeHeader = "header"
	typeSample = "sample"
	typeLog    = "log"
	typeMark   = "mark"
	typeProc   = "proc"
)

// headerRow begins a recording, and begins it again where one was appended to.
type headerRow struct {
	Type       string      `json:"type"`
	Format     int64       `json:"format"`
	Started    string      `json:"started"` // RFC 3339; t counts from here
	Host       string      `json:"host,omitempty"`
	Driver     string      `json:"driver"`
	IntervalMS float64     `json:"interval_ms"`
	GPUs       []headerGPU `json:"gpus"`
}

type headerGPU struct {
	Index int           `json:"index"`
	UUID  field[string] `json:"uuid,omitzero"`
	Name  field[string] `json:"name,omitzero"`
	Total field[int64]  `json:"total,omitzero"`
}

// sampleRow is one sample. Host lists the processes there were; without it
// they are those of procs and torch.
type sampleRow struct {
	Type    string       `json:"type"`
	T       seconds      `json:"t"`
	GPUs    []gpuRow     `json:"gpus"`
	Procs   []procRow    `json:"procs"`
	Torch   []torchRow   `json:"torch"`
	Host    *[]hostRow   `json:"host,omitempty"`
	Sources *[]sourceRow `json:"sources,omitempty"` // when they changed
}

// gpuRow is one device. Keys after dram are beyond the contract.
type gpuRow struct {
	Index    int            `json:"index"`
	Used     field[int64]   `json:"used"`
	Free     field[int64]   `json:"free"`
	Reserved field[int64]   `json:"reserved"` // by the driver
	Util     field[float64] `json:"util"`
	MemUtil  field[float64] `json:"mem_util"`
	PowerW   field[float64] `json:"power_w"`
	TempC    field[float64] `json:"temp_c"`
	SM       field[float64] `json:"sm,omitzero"`
	Tensor   field[float64] `json:"tensor,omitzero"`
	FP32     field[float64] `json:"fp32,omitzero"`
	DRAM     field[float64] `json:"dram,omitzero"`

	Total           field[int64]      `json:"total,omitzero"`
	Name            field[string]     `json:"name,omitzero"`
	UUID            field[string]     `json:"uuid,omitzero"`
	PowerLimitW     field[float64]    `json:"power_limit_w,omitzero"`
	SMClockMHz      field[float64]    `json:"sm_clock_mhz,omitzero"`
	MemClockMHz     field[float64]    `json:"mem_clock_mhz,omitzero"`
	Throttle        field[[]string]   `json:"throttle,omitzero"`
	ECCEnabled      field[bool]       `json:"ecc_enabled,omitzero"`
	ECCCorrected    field[int64]      `json:"ecc_corrected,omitzero"`
	ECCUncorrected  field[int64]      `json:"ecc_uncorrected,omitzero"`
	RowRemapPending field[bool]       `json:"row_remap_pending,omitzero"`
	RowRemapFailure field[bool]       `json:"row_remap_failure,omitzero"`
	RetiredPages    field[int64]      `json:"retired_pages,omitzero"`
	MIG             field[bool]       `json:"mig,omitzero"`
	MemorySource    field[string]     `json:"memory_source,omitzero"`
	Unseen          field[int64]      `json:"unseen,omitzero"` // held by nobody listed, in a PID namespace of its own
	State           field[string]     `json:"state,omitzero"`
	Reason          field[string]     `json:"reason,omitzero"`
	ReadAgeMS       field[float64]    `json:"read_age_ms,omitzero"`
	Why             map[string]string `json:"why,omitempty"` // key → why it is null
}

// procRow is what one process holds on one device; in `once --json` also the
// facts of the process, and processes that hold nothing (gpu null).
type procRow struct {
	PID  int           `json:"pid"`
	GPU  field[int64]  `json:"gpu"`
	Used field[int64]  `json:"used"`
	Name field[string] `json:"name"`

	Kinds       []string     `json:"kinds,omitempty"` // compute, graphics, mps
	OutsideOfNS bool         `json:"other_namespace,omitempty"`
	MIGInstance field[int64] `json:"mig_instance,omitzero"`
	Assumed     bool         `json:"assumed,omitempty"` // the process or its memory follows from a rule
	Why         string       `json:"why,omitempty"`     // why used is null
	processRow               // once --json; start always
	hostFigures              // once --json
}

// processRow is what the operating system tells of a process and seldom
// changes.
type processRow struct {
	PPID           field[int64]   `json:"ppid,omitzero"`
	Start          field[int64]   `json:"start,omitzero"`   // clock ticks after boot
	Started        field[string]  `json:"started,omitzero"` // RFC 3339
	User           field[string]  `json:"user,omitzero"`
	Cmd            field[string]  `json:"cmd,omitzero"`
	Rank           field[int64]   `json:"rank,omitzero"`
	LocalRank      field[int64]   `json:"local_rank,omitzero"`
	World          field[int64]   `json:"world,omitzero"`
	TorchVersion   field[string]  `json:"torch_version,omitzero"`
	AllocConf      field[string]  `json:"alloc_conf,omitzero"`
	NoCaching      field[bool]    `json:"no_caching,omitzero"`
	VisibleDevices field[string]  `json:"visible_devices,omitzero"`
	DeviceOrder    field[string]  `json:"device_order,omitzero"`
	Container      containerField `json:"container,omitzero"` // runtime:id
	Pod            field[string]  `json:"pod,omitzero"`
	CgroupLimit    field[int64]   `json:"cgroup_limit,omitzero"`
}

// hostFigures are the figures of a process on the host that move.
type hostFigures struct {
	State     field[string]  `json:"state,omitzero"` // one letter
	Threads   field[int64]   `json:"threads,omitzero"`
	HostBytes field[int64]   `json:"host_bytes,omitzero"`
	CPU       field[float64] `json:"cpu,omitzero"` // percent of one core
}

// factsRow is the row of type proc.
type factsRow struct {
	Type string        `json:"type"`
	T    seconds       `json:"t"`
	PID  int           `json:"pid"`
	Name field[string] `json:"name,omitzero"`
	processRow
	State field[string] `json:"state,omitzero"`
}

// hostRow is one process of a sample's host list.
type hostRow struct {
	PID   int          `json:"pid"`
	Start field[int64] `json:"start,omitzero"`
	hostFigures
}

// torchRow is one allocator. Keys after ooms are beyond the contract.
type torchRow struct {
	PID                int            `json:"pid"`
	GPU                field[int64]   `json:"gpu"`
	Source             string         `json:"source"`
	Allocated          field[int64]   `json:"allocated"`
	Reserved           field[int64]   `json:"reserved"`
	ActiveBytes        field[int64]   `json:"active_bytes"`
	InactiveSplitBytes field[int64]   `json:"inactive_split_bytes"`
	Requested          field[int64]   `json:"requested"`
	PeakAllocated      field[int64]   `json:"peak_allocated"`
	PeakReserved       field[int64]   `json:"peak_reserved"`
	Segment            field[int64]   `json:"segment"`
	Allocation         field[int64]   `json:"allocation"`
	Active             field[int64]   `json:"active"`
	InactiveSplit      field[int64]   `json:"inactive_split"`
	AllocRetries       field[int64]   `json:"alloc_retries"`
	OOMs               field[int64]   `json:"ooms"`
	PrivatePools       field[int64]   `json:"private_pools,omitzero"`
	Start              field[int64]   `json:"start,omitzero"`
	Ordinal            field[int64]   `json:"ordinal,omitzero"`
	Assumed            bool           `json:"assumed,omitempty"` // gpu follows from a rule
	State              field[string]  `json:"state,omitzero"`    // ok when absent
	Reason             field[string]  `json:"reason,omitzero"`
	Layout             field[string]  `json:"layout,omitzero"`
	ReadAgeMS          field[float64] `json:"read_age_ms,omitzero"`
}

// logRow is one line of a job's output, scrubbed.
type logRow struct {
	Type string  `json:"type"`
	T    seconds `json:"t"`
	Text string  `json:"text"`
	Src  string  `json:"src,omitempty"`
	PID  int     `json:"pid,omitempty"`
	Line int64   `json:"line,omitempty"`
}

// markRow is a named moment.
type markRow struct {
	Type string  `json:"type"`
	T    seconds `json:"t"`
	Text string  `json:"text"`
}

// sourceRow is what a source said of itself.
type sourceRow struct {
	Name   string         `json:"name"`
	State  string         `json:"state"`
	Reason string         `json:"reason"`
	AgeMS  field[float64] `json:"age_ms"` // since it last answered well
}
