package record

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/vramscope/vramscope/monitor"
)

// The rows of every sample are written by hand: through encoding/json a sample
// of 64 processes took longer than the reading of it. The text is that of
// encoding/json to the byte, which a test holds.

// appendSample adds a sample as one line, with its sources unless they are nil.
func (w *Writer) appendSample(b []byte, s *monitor.Sample, sources *[]sourceRow) []byte {
	b = append(b, `{"type":"`+typeSample+`","t":`...)
	b = w.t(s.Time).appendTo(b)
	b = append(b, `,"gpus":[`...)
	for i := range s.GPUs {
		row := w.known(gpuRowOf(lean, s.Time, &s.GPUs[i]))
		b = row.appendTo(comma(b, i))
	}
	b = append(b, `],"procs":[`...)
	for i := range s.Holders {
		row := procRowOf(lean, &s.Holders[i])
		b = row.appendTo(comma(b, i))
	}
	b = append(b, `],"torch":[`...)
	for i := range s.Torch {
		row := torchRowOf(lean, s.Time, &s.Torch[i])
		b = row.appendTo(comma(b, i))
	}
	b = append(b, `],"host":[`...)
	for i := range s.Processes {
		row := hostRowOf(&s.Processes[i])
		b = row.appendTo(comma(b, i))
	}
	b = append(b, ']')
	if sources != nil {
		if text, err := marshal(sources); err == nil { // which cannot fail: rows hold plain values
			b = append(append(b, `,"sources":`...), text...)
		}
	}
	return append(b, '}', '\n')
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func (r *gpuRow) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"index":`...), int64(r.Index), 10)
	b = always(b, `,"used":`, r.Used)
	b = always(b, `,"free":`, r.Free)
	b = always(b, `,"reserved":`, r.Reserved)
	b = always(b, `,"util":`, r.Util)
	b = always(b, `,"mem_util":`, r.MemUtil)
	b = always(b, `,"power_w":`, r.PowerW)
	b = always(b, `,"temp_c":`, r.TempC)
	b = unlessAbsent(b, `,"sm":`, r.SM)
	b = unlessAbsent(b, `,"tensor":`, r.Tensor)
	b = unlessAbsent(b, `,"fp32":`, r.FP32)
	b = unlessAbsent(b, `,"dram":`, r.DRAM)
	b = unlessAbsent(b, `,"total":`, r.Total)
	b = unlessAbsent(b, `,"name":`, r.Name)
	b = unlessAbsent(b, `,"uuid":`, r.UUID)
	b = unlessAbsent(b, `,"power_limit_w":`, r.PowerLimitW)
	b = unlessAbsent(b, `,"sm_clock_mhz":`, r.SMClockMHz)
	b = unlessAbsent(b, `,"mem_clock_mhz":`, r.MemClockMHz)
	b = unlessAbsent(b, `,"throttle":`, r.Throttle)
	b = unlessAbsent(b, `,"ecc_enabled":`, r.ECCEnabled)
	b = unlessAbsent(b, `,"ecc_corrected":`, r.ECCCorrected)
	b = unlessAbsent(b, `,"ecc_uncorrected":`, r.ECCUncorrected)
	b = unlessAbsent(b, `,"row_remap_pending":`, r.RowRemapPending)
	b = unlessAbsent(b, `,"row_remap_failure":`, r.RowRemapFailure)
	b = unlessAbsent(b, `,"retired_pages":`, r.RetiredPages)
	b = unlessAbsent(b, `,"mig":`, r.MIG)
	b = unlessAbsent(b, `,"memory_source":`, r.MemorySource)
	b = unlessAbsent(b, `,"unseen":`, r.Unseen)
	b = unlessAbsent(b, `,"state":`, r.State)
	b = unlessAbsent(b, `,"reason":`, r.Reason)
	b = unlessAbsent(b, `,"read_age_ms":`, r.ReadAgeMS)
	return append(b, '}')
}

// appendTo leaves out what only `once --json` has in this row.
func (r *procRow) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"pid":`...), int64(r.PID), 10)
	b = always(b, `,"gpu":`, r.GPU)
	b = always(b, `,"used":`, r.Used)
	b = always(b, `,"name":`, r.Name)
	if len(r.Kinds) > 0 {
		b = appendTexts(append(b, `,"kinds":`...), r.Kinds)
	}
	if r.OutsideOfNS {
		b = append(b, `,"other_namespace":true`...)
	}
	b = unlessAbsent(b, `,"mig_instance":`, r.MIGInstance)
	if r.Assumed {
		b = append(b, `,"assumed":true`...)
	}
	if r.Why != "" {
		b = appendText(append(b, `,"why":`...), r.Why)
	}
	return append(b, '}')
}

func (r *torchRow) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"pid":`...), int64(r.PID), 10)
	b = always(b, `,"gpu":`, r.GPU)
	b = appendText(append(b, `,"source":`...), r.Source)
	b = always(b, `,"allocated":`, r.Allocated)
	b = always(b, `,"reserved":`, r.Reserved)
	b = always(b, `,"active_bytes":`, r.ActiveBytes)
	b = always(b, `,"inactive_split_bytes":`, r.InactiveSplitBytes)
	b = always(b, `,"requested":`, r.Requested)
	b = always(b, `,"peak_allocated":`, r.PeakAllocated)
	b = always(b, `,"peak_reserved":`, r.PeakReserved)
	b = always(b, `,"segment":`, r.Segment)
	b = always(b, `,"allocation":`, r.Allocation)
	b = always(b, `,"active":`, r.Active)
	b = always(b, `,"inactive_split":`, r.InactiveSplit)
	b = always(b, `,"alloc_retries":`, r.AllocRetries)
	b = always(b, `,"ooms":`, r.OOMs)
	b = unlessAbsent(b, `,"private_pools":`, r.PrivatePools)
	b = unlessAbsent(b, `,"start":`, r.Start)
	b = unlessAbsent(b, `,"ordinal":`, r.Ordinal)
	if r.Assumed {
		b = append(b, `,"assumed":true`...)
	}
	b = unlessAbsent(b, `,"state":`, r.State)
	b = unlessAbsent(b, `,"reason":`, r.Reason)
	b = unlessAbsent(b, `,"layout":`, r.Layout)
	b = unlessAbsent(b, `,"read_age_ms":`, r.ReadAgeMS)
	return append(b, '}')
}

func (r *hostRow) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"pid":`...), int64(r.PID), 10)
	b = unlessAbsent(b, `,"start":`, r.Start)
	b = unlessAbsent(b, `,"state":`, r.State)
	b = unlessAbsent(b, `,"threads":`, r.Threads)
	b = unlessAbsent(b, `,"host_bytes":`, r.HostBytes)
	b = unlessAbsent(b, `,"cpu":`, r.CPU)
	return append(b, '}')
}

// always adds a key of the contract, null when there is no value.
func always[T scalar](b []byte, key string, f field[T]) []byte {
	b = append(b, key...)
	if f.is != present {
		return append(b, "null"...)
	}
	switch v := any(&f.value).(type) {
	case *int64:
		return strconv.AppendInt(b, *v, 10)
	case *float64:
		return appendFloat(b, *v)
	case *bool:
		return strconv.AppendBool(b, *v)
	case *string:
		return appendText(b, *v)
	case *[]string:
		return appendTexts(b, *v)
	}
	return append(b, "null"...) // there is no other scalar
}

func unlessAbsent[T scalar](b []byte, key string, f field[T]) []byte {
	if f.is == absent {
		return b
	}
	return always(b, key, f)
}

// appendFloat writes a number as encoding/json does where that needs no
// exponent.
func appendFloat(b []byte, v float64) []byte {
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
		text, err := json.Marshal(v)
		if err != nil {
			return append(b, "null"...)
		}
		return append(b, text...)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

func appendTexts(b []byte, all []string) []byte {
	b = append(b, '[')
	for i, text := range all {
		b = appendText(comma(b, i), text)
	}
	return append(b, ']')
}

// appendText writes a text, and leaves one that needs escapes to encoding/json.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			escaped, err := marshal(text)
			if err != nil {
				return append(b, `""`...) // cannot be: every text can be written
			}
			return append(b, escaped...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
