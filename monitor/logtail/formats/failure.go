package formats

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// sign is a text that tells of a failed allocation without the figures of
// PyTorch's own message.
type sign struct {
	text   string // must stand in the line
	with   string // and this, unless empty
	api    string
	cause  string
	likely bool // out of memory is the usual cause, not the only one
}

var failureSigns = []sign{
	{text: "CUDA driver error: out of memory", api: "cuda", cause: "driver"},
	{text: "CUDA error: out of memory", api: "cuda", cause: "runtime"},
	{text: "HIP error: out of memory", api: "hip", cause: "runtime"},
	{text: "cuda runtime error (2) : out of memory", api: "cuda"},
	{text: "THCudaCheck FAIL", with: "out of memory", api: "cuda"},
	{text: "CUBLAS_STATUS_ALLOC_FAILED", api: "cuda", cause: "CUBLAS_STATUS_ALLOC_FAILED", likely: true},
	{text: "CUBLAS_STATUS_NOT_INITIALIZED", api: "cuda", cause: "CUBLAS_STATUS_NOT_INITIALIZED", likely: true}, //nolint:misspell // as printed
	{text: "CUDNN_STATUS_ALLOC_FAILED", api: "cuda", cause: "CUDNN_STATUS_ALLOC_FAILED", likely: true},
	{text: "CUDNN_STATUS_NOT_INITIALIZED", api: "cuda", cause: "CUDNN_STATUS_NOT_INITIALIZED", likely: true}, //nolint:misspell // as printed
	{text: "INTERNAL ASSERT FAILED", with: "CUDACachingAllocator.cpp", api: "cuda", cause: "NVML assert while building the OOM message", likely: true},
	{text: "NCCL WARN Cuda failure", with: "'out of memory'", api: "cuda", cause: "NCCL"},
	{text: "Cuda failure 2 'out of memory'", api: "cuda", cause: "NCCL"},
	{text: "NCCL WARN Failed to CUDA calloc ", api: "cuda", cause: "NCCL"},
	{text: "NCCL WARN Failed to CUDA malloc ", api: "cuda", cause: "NCCL"},
	{text: "attempting to recover from OOM in ", api: ""},
	{text: "OOM in all workers, skipping update"},
	{text: "ran out of memory, retrying batch"},
	{text: "ran out of memory, skipping batch"},
	{text: "CUDA OOM errors thrown", with: "\x00"}, // read by thrown
}

// failure reads a line that tells of a failed allocation without figures.
func (p *Parser) failure(line *monitor.LogLine) (monitor.LogReading, bool) {
	s := p.text
	if n, ok := thrown(s); ok {
		return p.failureReading(line, monitor.LogOOMFigures{API: "cuda", Count: n}), n > 0
	}
	for set := p.survey.signs; set.any(); {
		g := &failureSigns[set.next()]
		at := strings.Index(s, g.text)
		if at < 0 || g.with != "" && !strings.Contains(s, g.with) || isCode(s) {
			continue
		}
		f := monitor.LogOOMFigures{API: g.api, Cause: g.cause, Likely: g.likely, Exception: exceptionOf(s, at)}
		r := p.failureReading(line, f)
		if g.cause == "NCCL" {
			p.ncclFigures(&r)
		}
		return r, true
	}
	return monitor.LogReading{}, false
}

func (p *Parser) failureReading(line *monitor.LogLine, f monitor.LogOOMFigures) monitor.LogReading {
	t := oomText{line: *line, place: p.lineplace, step: p.linestep, figures: f}
	r := t.reading()
	r.OOM = &f
	return r
}

// exceptionOf returns the class of a failure: the one in front of the message
// at i, which may itself follow "CUDA error: ".
func exceptionOf(s string, i int) string {
	for _, w := range [...]string{"CUDA error: ", "cuDNN error: ", "CUDA driver error: ", "cuda runtime error", "NVML_SUCCESS == r "} {
		if j := strings.LastIndex(s[:i], w); j >= 0 {
			i = j
		}
	}
	return exceptionBefore(s, i)
}

// statement reports whether "CUDA out of memory" at s[at:] is said of
// something that happened: at the start of a sentence or behind a colon, and
// not going on into advice.
func statement(s string, at, n int) bool {
	head := strings.TrimRight(s[:at], " \t\"'`")
	if head != "" {
		c := head[len(head)-1]
		if isLetter(c) && c < 0x80 && !strings.HasSuffix(head, "Error") && !strings.HasSuffix(strings.ToLower(head), "with exception") {
			return false
		}
		if c == '(' || c == '=' {
			return false
		}
	}
	rest := s[at+n:]
	for _, w := range [...]string{" handler", ", try", " error", " errors", "\" in", "' in", " can ", " may ", " when ", " if "} {
		if strings.HasPrefix(rest, w) {
			return false
		}
	}
	return true
}

// thrown reads a count of new failures: "1 CUDA OOM errors thrown." (torchtitan,
// components/metrics.py).
func thrown(s string) (int64, bool) {
	i := strings.Index(s, " CUDA OOM errors thrown")
	if i <= 0 {
		return 0, false
	}
	j := i
	for j > 0 && isDigit(s[j-1]) {
		j--
	}
	n, ok := small(s[j:i], 1<<20)
	return int64(n), ok
}

// ncclFigures takes what an NCCL warning tells: "[3]" is the local device, and
// the size of the allocation that failed.
func (p *Parser) ncclFigures(r *monitor.LogReading) {
	s, toks := p.text, p.toks
	for i := 0; i+2 < len(toks); i++ {
		t := toks[i+1]
		if isMark(s, toks[i], "[") && t.kind == kindNumber && t.whole && isMark(s, toks[i+2], "]") && t.value <= maxDevice {
			r.GPU = monitor.Known(int(t.value))
			break
		}
	}
	for _, t := range toks {
		if t.kind == kindNumber && t.unit.form == unitBytes && t.value > 0 {
			if b, ok := t.unit.toBytes(t.value, false); ok {
				r.OOM.RequestedBytes = monitor.Known(b)
			}
		}
	}
}
