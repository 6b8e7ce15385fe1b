package record

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// quick reads the rows of samples by hand. Their room is used again.
type quick struct {
	row  sampleRow
	host []hostRow
}

// sample reads a line that is a simple sample; false for any other. The row is
// valid until the next call.
func (q *quick) sample(line []byte) (*sampleRow, bool) {
	r := &q.row
	*r = sampleRow{GPUs: r.GPUs[:0], Procs: r.Procs[:0], Torch: r.Torch[:0]}
	s := scanner{line: line}
	had := 0 // a bit each list: encoding/json merges one that comes twice
	whole := s.members(func(key []byte) bool {
		list, ok := 0, false
		switch string(key) {
		case "type":
			return s.into((*jsonText)(&r.Type)) && r.Type == typeSample
		case "t":
			return s.into(&r.T)
		case "gpus":
			list = 1
			r.GPUs, ok = rowsInto(&s, r.GPUs, (*gpuRow).target)
		case "procs":
			list = 2
			r.Procs, ok = rowsInto(&s, r.Procs, (*procRow).target)
		case "torch":
			list = 4
			r.Torch, ok = rowsInto(&s, r.Torch, (*torchRow).target)
		case "host":
			list = 8
			q.host, ok = rowsInto(&s, q.host[:0], (*hostRow).target)
			r.Host = &q.host
		}
		twice := had&list != 0
		had |= list
		return ok && !twice
	})
	return r, whole && s.next() == 0 && s.at == len(line) && r.Type == typeSample
}

// target returns where the value of a key goes, nil for a key that only
// encoding/json reads.
func (r *gpuRow) target(key []byte) target {
	switch string(key) {
	case "index":
		return (*jsonInt)(&r.Index)
	case "used":
		return &r.Used
	case "free":
		return &r.Free
	case "reserved":
		return &r.Reserved
	case "util":
		return &r.Util
	case "mem_util":
		return &r.MemUtil
	case "power_w":
		return &r.PowerW
	case "temp_c":
		return &r.TempC
	case "sm":
		return &r.SM
	case "tensor":
		return &r.Tensor
	case "fp32":
		return &r.FP32
	case "dram":
		return &r.DRAM
	case "total":
		return &r.Total
	case "power_limit_w":
		return &r.PowerLimitW
	case "sm_clock_mhz":
		return &r.SMClockMHz
	case "mem_clock_mhz":
		return &r.MemClockMHz
	}
	return r.seldom(key)
}

// seldom is target for what changes seldom.
func (r *gpuRow) seldom(key []byte) target {
	switch string(key) {
	case "name":
		return &r.Name
	case "uuid":
		return &r.UUID
	case "throttle":
		return &r.Throttle
	case "ecc_enabled":
		return &r.ECCEnabled
	case "ecc_corrected":
		return &r.ECCCorrected
	case "ecc_uncorrected":
		return &r.ECCUncorrected
	case "row_remap_pending":
		return &r.RowRemapPending
	case "row_remap_failure":
		return &r.RowRemapFailure
	case "retired_pages":
		return &r.RetiredPages
	case "mig":
		return &r.MIG
	case "memory_source":
		return &r.MemorySource
	case "unseen":
		return &r.Unseen
	case "state":
		return &r.State
	case "reason":
		return &r.Reason
	case "read_age_ms":
		return &r.ReadAgeMS
	}
	return nil
}

func (r *procRow) target(key []byte) target {
	switch string(key) {
	case "pid":
		return (*jsonInt)(&r.PID)
	case "gpu":
		return &r.GPU
	case "used":
		return &r.Used
	case "name":
		return &r.Name
	case "kinds":
		return (*jsonTexts)(&r.Kinds)
	case "other_namespace":
		return (*jsonFlag)(&r.OutsideOfNS)
	case "mig_instance":
		return &r.MIGInstance
	case "assumed":
		return (*jsonFlag)(&r.Assumed)
	case "why":
		return (*jsonText)(&r.Why)
	}
	return nil
}

func (r *torchRow) target(key []byte) target {
	switch string(key) {
	case "pid":
		return (*jsonInt)(&r.PID)
	case "gpu":
		return &r.GPU
	case "source":
		return (*jsonText)(&r.Source)
	case "allocated":
		return &r.Allocated
	case "reserved":
		return &r.Reserved
	case "active_bytes":
		return &r.ActiveBytes
	case "inactive_split_bytes":
		return &r.InactiveSplitBytes
	case "requested":
		return &r.Requested
	case "peak_allocated":
		return &r.PeakAllocated
	case "peak_reserved":
		return &r.PeakReserved
	case "segment":
		return &r.Segment
	case "allocation":
		return &r.Allocation
	case "active":
		return &r.Active
	case "inactive_split":
		return &r.InactiveSplit
	}
	return r.more(key)
}

// more is target for the rest of the keys.
func (r *torchRow) more(key []byte) target {
	switch string(key) {
	case "alloc_retries":
		return &r.AllocRetries
	case "ooms":
		return &r.OOMs
	case "private_pools":
		return &r.PrivatePools
	case "start":
		return &r.Start
	case "ordinal":
		return &r.Ordinal
	case "assumed":
		return (*jsonFlag)(&r.Assumed)
	case "state":
		return &r.State
	case "reason":
		return &r.Reason
	case "layout":
		return &r.Layout
	case "read_age_ms":
		return &r.ReadAgeMS
	}
	return nil
}

func (r *hostRow) target(key []byte) target {
	switch string(key) {
	case "pid":
		return (*jsonInt)(&r.PID)
	case "start":
		return &r.Start
	case "state":
		return &r.State
	case "threads":
		return &r.Threads
	case "host_bytes":
		return &r.HostBytes
	case "cpu":
		return &r.CPU
	}
	return nil
}

// The plain values of rows as targets: what is not of their kind is an error,
// null too, which encoding/json passes over.
type (
	jsonInt   int
	jsonFlag  bool
	jsonText  string
	jsonTexts []string
)

var errNotPlain = errors.New("not a plain value")

// UnmarshalJSON reads a whole number.
func (v *jsonInt) UnmarshalJSON(value []byte) error {
	n, err := strconv.Atoi(string(value))
	*v = jsonInt(n)
	return err
}

// UnmarshalJSON reads true or false.
func (v *jsonFlag) UnmarshalJSON(value []byte) error {
	*v = value[0] == 't'
	if value[0] != 't' && value[0] != 'f' {
		return errNotPlain
	}
	return nil
}

// UnmarshalJSON reads a text without escapes.
func (v *jsonText) UnmarshalJSON(value []byte) error {
	text, ok := simpleText(value)
	*v = jsonText(text)
	if !ok {
		return errNotPlain
	}
	return nil
}

// UnmarshalJSON reads a list of texts without escapes, which may not be empty.
func (v *jsonTexts) UnmarshalJSON(value []byte) error {
	*v = nil
	s := scanner{line: value}
	for ok := s.pass('['); ok; ok = s.pass(',') {
		text, simple := s.text()
		if !simple {
			return errNotPlain
		}
		*v = append(*v, string(text[1:len(text)-1]))
	}
	if !s.pass(']') {
		return errNotPlain
	}
	return nil
}

// simpleText returns what stands between the quotes of a valid JSON string
// without escapes; false for any other value.
func simpleText(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	inner := value[1 : len(value)-1]
	for _, c := range inner {
		if c == '\\' {
			return "", false
		}
	}
	return string(inner), utf8.Valid(inner)
}
