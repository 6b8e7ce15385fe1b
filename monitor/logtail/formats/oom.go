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
	// tentative marks a beginning that may be of something else: it is a
	// failure only if figures follow.
	tentative bool
}

// maxOOMMisses is how many lines that add nothing may stand between the lines
// of one text; maxOOMText bounds what is kept of it.
const (
	maxOOMMisses = 3
	maxOOMText   = 8 << 10
)

// head is where a failure's message begins in a line, and what that says.
type head struct {
	at        int // of the message, for its exception
	from      int // of what is kept
	api       string
	async     bool
	tentative bool
}

// oomStart opens a text at a line that begins one, and reports whether the
// line certainly does.
func (p *Parser) oomStart(line *monitor.LogLine) bool {
	if !p.survey.heads.any() && !endsWithAPI(p.text) {
		return false
	}
	h, ok := findHead(p.text)
	if !ok {
		return false
	}
	p.closeOOM()
	t := &oomText{line: withoutText(*line), place: p.lineplace, step: p.linestep, async: h.async, tentative: h.tentative}
	t.figures.API = h.api
	t.figures.Exception = exceptionBefore(p.text, h.at)
	if h.async {
		t.figures.Allocator = "cudaMallocAsync"
	}
	t.compact = squeeze(nil, p.text[h.from:])
	t.read()
	p.oom, p.used = t, true
	if !t.tentative {
		p.ctx.cut()
	}
	if t.done {
		p.closeOOM()
	}
	return !h.tentative
}

// headTexts are what a line must have one of to begin a failure's message, or a
// memory_summary() table. The API's name alone counts at the end of a line.
var headTexts = []string{"Tried to allocate ", "Allocation on device", "CUDA o", "HIP o", summaryTitle}

// endsWithAPI reports whether a line ends with the name of an API.
func endsWithAPI(s string) bool {
	return strings.HasSuffix(s, "CUDA") || strings.HasSuffix(s, "HIP")
}

// findHead looks for the beginning of a failure's message.
func findHead(s string) (head, bool) {
	if at := allocationFailure(s); at >= 0 {
		start := messageStart(s, at)
		return head{at: start, from: at, api: apiAt(s[start:])}, true
	}
	if at := strings.Index(s, "Allocation on device"); at >= 0 && strings.Contains(s, "would exceed allowed memory") {
		return head{at: at, from: at, api: "cuda", async: true}, true
	}
	return brokenHead(s)
}

// heads are how the message begins, with and without white space.
var heads = [...]struct{ name, opening, api, compact string }{
	{"CUDA", "CUDA o", "cuda", "CUDAoutofmemory.Triedtoallocate"},
	{"HIP", "HIP o", "hip", "HIPoutofmemory.Triedtoallocate"},
}

// brokenHead finds the message in a line that ends within its first words.
// "CUDA out of memory" itself is a failure, whatever follows; less of it is one
// only when the next lines go on with it.
func brokenHead(s string) (head, bool) {
	for _, h := range heads {
		at := strings.Index(s, h.opening)
		for next := at; next >= 0; at += max(next, 0) {
			if next = strings.Index(s[at+1:], h.opening) + 1; next == 0 {
				break
			}
		}
		if at < 0 && strings.HasSuffix(s, h.name) {
			at = len(s) - len(h.name)
		}
		if at < 0 || isCode(s) {
			continue
		}
		var buf [64]byte
		c := squeeze(buf[:0], s[at:min(len(s), at+60)])
		whole := strings.HasPrefix(s[at+len(h.name):], " out of memory")
		switch {
		case whole && statement(s, at, len(h.name)+len(" out of memory")):
		case !whole && at+60 >= len(s) && strings.HasPrefix(h.compact, string(c)):
		default:
			continue
		}
		return head{at: at, from: at, api: h.api, tentative: !whole}, true
	}
	return head{}, false
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
	var buf [24]byte
	_, _, n := sizeAt(squeeze(buf[:0], rest[:min(len(rest), len(buf))]))
	if n == 0 {
		return -1
	}
	if named || strings.Contains(rest, "(GPU ") || strings.Contains(rest, ". GPU ") || strings.Contains(rest, "total capac") {
		return i
	}
	return -1
}

// apiAt returns the API that a message names first.
func apiAt(message string) string {
	switch {
	case strings.HasPrefix(message, "HIP"):
		return "hip"
	case strings.HasPrefix(message, "CUDA"):
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
	if !strings.HasSuffix(name, "Error") && !strings.HasSuffix(name, "Exception") || brokenName(name) {
		return ""
	}
	return strings.Clone(name)
}

// brokenName reports whether a class name is the rest of one that was broken
// over two lines.
func brokenName(name string) bool {
	const full = "torch.cuda.OutOfMemoryError"
	if name == full || name == "OutOfMemoryError" || name == "cuda.OutOfMemoryError" {
		return false
	}
	first := name[0]
	return strings.HasSuffix(full, name) || !strings.Contains(name, ".") && first >= 'a' && first <= 'z'
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

// squeeze appends s without white space, quotes and what is no ASCII.
func squeeze(dst []byte, s string) []byte {
	for i := 0; i < len(s) && len(dst) < maxOOMText; i++ {
		if c := s[i]; c > ' ' && c < 0x7f && c != '`' && c != '"' && c != '\'' {
			dst = append(dst, s[i])
		}
	}
	return dst
}

// ends reports whether a line begins a failure of its own, so that it cannot
// belong to this one.
func (t *oomText) ends(s string) bool {
	return strings.Contains(s, "out of memory. Tried") || t.figures.RequestedBytes.Known() && strings.Contains(s, "Tried to allocate")
}

// extend offers the next line to an open text and reports whether it belongs.
func (t *oomText) extend(s string) bool {
	best, length := *t, 0
	for _, rest := range joints(s) {
		for _, base := range [][]byte{t.compact, t.tail} {
			if base == nil {
				continue
			}
			trial := *t
			trial.figures.Others = nil
			trial.compact = squeeze(append([]byte(nil), base...), rest)
			trial.read()
			more := trial.found > best.found || trial.done && !best.done
			// of equals the shortest: a broken number must not join a time
			if more || length > len(rest) && trial.found == best.found && trial.done == best.done {
				length = len(rest)
				trial.tail, trial.misses, trial.tentative = nil, 0, false
				best = trial
			}
		}
	}
	if best.found > t.found || best.done {
		*t = best
		return true
	}
	if t.tail == nil {
		t.tail = append([]byte(nil), t.compact...)
	}
	t.tail = squeeze(t.tail, stripPrefix(s))
	t.misses++
	return false
}

// joints returns the tails of a line that may go on with the text of the line
// before: without what launchers put in front, and without what loggers do.
func joints(s string) []string {
	bare := stripPrefix(strings.TrimLeft(s, " \t`\"'"))
	out := []string{bare}
	head := bare[:min(len(bare), 120)]
	for _, sep := range [...]string{" - ", "] ", "| ", "Z ", "F ", ": ", "INFO ", "WARNING ", "ERROR "} {
		if i := strings.LastIndex(head, sep); i >= 0 {
			out = append(out, bare[i+len(sep):])
		}
		if i := strings.Index(head, sep); i >= 0 {
			out = append(out, bare[i+len(sep):])
		}
	}
	for i, n := 0, 0; i < min(len(head), 80) && n < 4; i++ {
		if head[i] == ':' { // "INFO:module:"
			out = append(out, bare[i+1:])
			n++
		}
	}
	return out
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
