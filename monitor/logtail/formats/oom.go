package formats

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// oomText is an out-of-memory text while its lines come in. Terminals and
// consoles break it anywhere, inside words and numbers too, so it is kept and
// read without any white space.
type oomText struct {
	line    monitor.LogLine // the first
	place   place
	step    progress
	compact []byte
	tail    []byte // lines since, that have not shown to belong to it
	gpu     monitor.Reading[int]
	figures monitor.LogOOMFigures
	found   int  // figures read so far
	done    bool // nothing can follow
	misses  int
	async   bool
}

// maxOOMMisses is how many lines that add nothing may stand between the lines
// of one text; maxOOMText bounds what is kept of it.
const (
	maxOOMMisses = 3
	maxOOMText   = 8 << 10
)

// oomStart finds the beginning of a failure with or without figures.
func (p *Parser) oomStart(line monitor.LogLine) bool {
	s := p.text
	t := oomText{line: withoutText(line)}
	at := -1
	if i := allocationFailure(s); i >= 0 {
		at = i
		t.figures.API = apiBefore(s, i)
		t.figures.Exception = exceptionBefore(s, messageStart(s, i))
	} else if i := strings.Index(s, "would exceed allowed memory"); i >= 0 && strings.Contains(s, "Allocation on device") {
		at = strings.Index(s, "Allocation on device")
		t.async = true
		t.figures.API = "cuda"
		t.figures.Allocator = "cudaMallocAsync"
		t.figures.Exception = exceptionBefore(s, at)
	}
	if at < 0 {
		return false
	}
	t.place, t.step = p.lineplace, p.linestep
	t.compact = squeeze(nil, s[at:])
	t.read()
	p.closeOOM()
	p.oom = &t
	if t.done {
		p.closeOOM()
	}
	return true
}

// allocationFailure returns where "Tried to allocate" stands in s when it is
// PyTorch's text on CUDA or HIP, or −1. Apple's and Intel's backends use the
// same words for other memory.
func allocationFailure(s string) int {
	i := strings.Index(s, "Tried to allocate ")
	if i < 0 {
		return -1
	}
	head, rest := s[:i], s[i+len("Tried to allocate "):]
	if strings.Contains(head, "MPS backend") || strings.Contains(head, "XPU out of memory") || strings.Contains(head, "NPU out of memory") {
		return -1
	}
	if isCode(s) {
		return -1
	}
	named := strings.Contains(head, "CUDA out of memory") || strings.Contains(head, "HIP out of memory")
	if strings.HasPrefix(rest, "more than 1EB memory") && named {
		return i
	}
	_, _, n := sizeAt(squeeze(nil, rest[:min(len(rest), 24)]))
	if n == 0 {
		return -1
	}
	if named || strings.Contains(rest, "(GPU ") || strings.Contains(rest, ". GPU ") || strings.Contains(rest, "total capac") {
		return i
	}
	return -1
}

// apiBefore returns the API named in front of the failure.
func apiBefore(s string, i int) string {
	switch {
	case strings.Contains(s[:i], "HIP out of memory"):
		return "hip"
	case strings.Contains(s[:i], "CUDA out of memory"):
		return "cuda"
	}
	return ""
}

// messageStart returns where the message begins that "Tried to allocate" at i
// belongs to.
func messageStart(s string, i int) int {
	for _, w := range [...]string{"CUDA out of memory", "HIP out of memory"} {
		if j := strings.LastIndex(s[:i], w); j >= 0 {
			return j
		}
	}
	return i
}

// exceptionBefore returns the class name that ends in front of s[:i]:
// "torch.OutOfMemoryError: ".
func exceptionBefore(s string, i int) string {
	s = strings.TrimRight(s[:i], " \"'`")
	if !strings.HasSuffix(s, ":") {
		return ""
	}
	s = s[:len(s)-1]
	j := len(s)
	for j > 0 && (isLetter(s[j-1]) && s[j-1] < 0x80 || isDigit(s[j-1]) || s[j-1] == '.') {
		j--
	}
	name := strings.TrimLeft(s[j:], ".")
	if strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") {
		return strings.Clone(name)
	}
	return ""
}

// withoutText drops the text of a line that is kept: it belongs to the caller.
func withoutText(l monitor.LogLine) monitor.LogLine {
	l.Text = ""
	return l
}

// isCode reports whether a line is source code or advice that only quotes the
// text.
func isCode(s string) bool {
	t := strings.TrimLeft(s, " \t>|+-")
	for _, w := range [...]string{"raise ", "except ", "if ", "elif ", "assert ", "print(", "return ", "#", "//", "logger.", "logging.", "def ", "If ", "When "} {
		if strings.HasPrefix(t, w) {
			return true
		}
	}
	return strings.Contains(s, " in str(") || strings.Contains(s, "f\"CUDA out") || strings.Contains(s, "f'CUDA out")
}

// squeeze appends s without white space.
func squeeze(dst []byte, s string) []byte {
	for i := 0; i < len(s) && len(dst) < maxOOMText; i++ {
		if s[i] > ' ' {
			dst = append(dst, s[i])
		}
	}
	return dst
}

// extend offers the next line to an open text and reports whether it belongs.
func (t *oomText) extend(s string) bool {
	before := t.found
	doneBefore := t.done
	bare := stripPrefix(s)
	for _, base := range [][]byte{t.compact, t.tail} {
		if base == nil {
			continue
		}
		trial := *t
		trial.compact = squeeze(append([]byte(nil), base...), bare)
		trial.read()
		if trial.found > before || trial.done && !doneBefore {
			trial.tail, trial.misses = nil, 0
			*t = trial
			return true
		}
	}
	if t.tail == nil {
		t.tail = append([]byte(nil), t.compact...)
	}
	t.tail = squeeze(t.tail, bare)
	t.misses++
	return false
}

// stripPrefix removes what launchers and loggers put in front of a line, so
// that the lines of one text join.
func stripPrefix(s string) string {
	for {
		t := strings.TrimLeft(s, " \t")
		switch {
		case strings.HasPrefix(t, "["):
			i := strings.IndexByte(t, ']')
			if i < 0 || i > 40 {
				return t
			}
			t = strings.TrimLeft(t[i+1:], ":")
		case strings.HasPrefix(t, "(") && strings.Contains(t[:min(len(t), 40)], "pid="):
			i := strings.IndexByte(t, ')')
			if i < 0 || i > 60 {
				return t
			}
			t = t[i+1:]
		default:
			return dropTaskLabel(t)
		}
		s = t
	}
}

// dropTaskLabel removes srun's "3: ".
func dropTaskLabel(s string) string {
	i := 0
	for i < len(s) && i < 4 && isDigit(s[i]) {
		i++
	}
	if i > 0 && i+1 < len(s) && s[i] == ':' && s[i+1] == ' ' {
		return s[i+2:]
	}
	return s
}

// reading returns the finished text as a reading.
func (t *oomText) reading() monitor.LogReading {
	figures := t.figures
	r := monitor.LogReading{
		Time: t.line.Time, Source: t.line.Source, PID: t.line.PID, Line: t.line.Number,
		Kind: monitor.LogOOM, Producer: "PyTorch", Unit: monitor.UnitStated, OOM: &figures,
	}
	t.place.into(&r)
	t.step.into(&r)
	if t.gpu.Known() {
		r.GPU = t.gpu
	}
	return r
}
