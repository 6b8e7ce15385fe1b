package advisor

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// Bounds on the raw text that is looked at: it comes from outside.
const (
	maxHintLines = 50_000
	maxHintBytes = 2048
)

// phase is what a line says the job begins or ends.
type phase uint8

const (
	noPhase phase = iota
	phaseEval
	phaseEvalEnd
	phaseTrain
	phaseResume  // a checkpoint is read
	phaseSave    // a checkpoint is written
	phaseStage   // a new model, stage, fold or trial begins
	phaseCapture // a CUDA graph is captured
)

// frame is what the innermost telling line of a traceback was doing.
type frame uint8

const (
	noFrame frame = iota
	frameForward
	frameBackward
	frameOptimizer
	frameLoad       // building or moving the model
	frameCheckpoint // reading a checkpoint
	frameLogits     // the loss over the vocabulary
	frameCache      // a generation cache
	frameEval
	frameConv
	frameCapture // CUDA graphs, compile
)

// trouble is an error text that names its cause by itself.
type trouble uint8

const (
	noTrouble trouble = iota
	troubleShm
	troubleKilled
	troubleHostAlloc
	troublePinned
	troubleNCCL
	troubleXid
	troubleECC
	troubleCgroup
)

// hints is what the job's raw output says besides figures.
type hints struct {
	phases   []phaseMark
	stacks   []stackMark
	troubles []troubleMark
}

type phaseMark struct {
	t float64
	phase
	pid int // of the job that announced it, 0 when it may be any
}

type stackMark struct {
	t      float64
	frames map[frame]bool
	text   string
}

type troubleMark struct {
	t    float64
	kind trouble
	text string
	pid  int
}

// texts maps a piece of a line, in lower case, to what it says. The first that
// fits wins.
type texts[T any] []struct {
	piece string
	is    T
}

var troubleTexts = texts[trouble]{
	{"insufficient shared memory", troubleShm},
	{"out of shared memory", troubleShm},
	{"no space left on device: '/dev/shm", troubleShm},
	{"unable to open shared memory object", troubleShm},
	{"signal: bus error", troubleShm},
	{"unexpected bus error", troubleShm},
	{"signal 7 (sigbus)", troubleShm},
	{"unable to write to file </torch", troubleShm},
	{"unable to mmap", troubleShm},
	{"memory cgroup out of memory", troubleCgroup},
	{"oomkilled", troubleCgroup},
	{"oom-kill event", troubleCgroup},
	{"oom_kill event", troubleCgroup},
	{"out of memory: killed process", troubleKilled},
	{"signal 9 (sigkill)", troubleKilled},
	{"died with <signals.sigkill: 9>", troubleKilled},
	{"killed by signal: killed", troubleKilled},
	{"defaultcpuallocator: can't allocate", troubleHostAlloc},
	{"defaultcpuallocator: not enough memory", troubleHostAlloc},
	{"cannot allocate memory", troubleHostAlloc},
	{"cudahostalloc", troublePinned},
	{"pin_memory_loop", troublePinned},
	{"pin memory thread", troublePinned},
	{"cachinghostallocator", troublePinned},
	{"failed to cuda calloc", troubleNCCL},
	{"failed to cuda host alloc", troublePinned},
	{"nccl warn cuda failure 'out of memory'", troubleNCCL},
	{"nccl warn cuda failure 2 'out of memory'", troubleNCCL},
	{"nvrm: xid", troubleXid},
	{"uncorrectable ecc error", troubleECC},
}

// exitBySignal reads how a process ended: −9 and 137 are a kill, as the kernel
// does it when memory runs out; −7 and 135 are a bus error.
var exitBySignal = regexp.MustCompile(`\b(?:exit|exited|return|returned)[a-z ]{0,20}\s*[:=]?\s*(-9|137|-7|135)\b`)

var xidNumber = regexp.MustCompile(`nvrm: xid \([^)]{0,80}\): ([0-9]{1,5})\b`)

// xidOfJob tells whether a line with an Xid, in lower case, speaks of a fault of
// the job itself, which is none of the GPU.
func xidOfJob(line string) bool {
	m := xidNumber.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	code, _ := strconv.Atoi(m[1]) // five digits at most
	_, ofJob := monitor.XidText(code)
	return ofJob
}

// troubleOf returns the cause that a line, in lower case, names.
func troubleOf(line string) (trouble, bool) {
	if kind, ok := troubleTexts.in(line); ok {
		return kind, kind != troubleXid || !xidOfJob(line)
	}
	if !strings.Contains(line, "exit") && !strings.Contains(line, "return") {
		return noTrouble, false
	}
	if m := exitBySignal.FindStringSubmatch(line); m != nil {
		if m[1] == "-7" || m[1] == "135" {
			return troubleShm, true
		}
		return troubleKilled, true
	}
	return noTrouble, false
}

var phaseTexts = texts[phase]{
	{"validation done", phaseEvalEnd}, {"validation finished", phaseEvalEnd}, {"validation complete", phaseEvalEnd},
	{"eval done", phaseEvalEnd}, {"evaluation done", phaseEvalEnd}, {"evaluation finished", phaseEvalEnd},
	{"evaluation complete", phaseEvalEnd}, {"finished validat", phaseEvalEnd}, {"finished evaluat", phaseEvalEnd},
	{"end of validation", phaseEvalEnd}, {"end of evaluation", phaseEvalEnd},
	{"resum", phaseResume}, {"loading checkpoint", phaseResume}, {"load checkpoint", phaseResume},
	{"loaded checkpoint", phaseResume}, {"restoring", phaseResume}, {"restored", phaseResume},
	{"checkpoint loaded", phaseResume}, {"checkpoint restored", phaseResume}, {"load_state_dict", phaseResume}, {"load_checkpoint", phaseResume},
	{"saving", phaseSave}, {"checkpoint saved", phaseSave}, {"saved checkpoint", phaseSave}, {"saved model", phaseSave},
	{"building model", phaseStage}, {"=== stage", phaseStage}, {"starting stage", phaseStage}, {"new trial", phaseStage},
	{"starting trial", phaseStage}, {"starting fold", phaseStage}, {"=== fold", phaseStage}, {"=== trial", phaseStage},
	{"begin stage", phaseStage}, {"entering stage", phaseStage}, {"start stage", phaseStage}, {"creating model", phaseStage},
	{"validating", phaseEval}, {"running validation", phaseEval}, {"start validation", phaseEval}, {"evaluating", phaseEval},
	{"running evaluation", phaseEval}, {"start eval", phaseEval}, {"starting eval", phaseEval}, {"begin eval", phaseEval},
	{"starting validation", phaseEval}, {"*** eval", phaseEval}, {"*** validation", phaseEval}, {"running eval", phaseEval},
	{"running sanity check", phaseEval},
	{"capturing cuda graph", phaseCapture}, {"capturing cudagraph", phaseCapture}, {"capturing graph", phaseCapture},
	{"capturing a cuda graph", phaseCapture}, {"captured cuda graph", phaseCapture}, {"capturing batches", phaseCapture},
	{"cuda graph capture", phaseCapture}, {"recording cudagraph", phaseCapture}, {"graph capturing", phaseCapture},
	{"start training", phaseTrain}, {"starting training", phaseTrain}, {"*** running training", phaseTrain},
}

// bareMark is a line that says nothing but the name of a phase, perhaps with
// the number of the epoch and some ornament. A line with anything else in it,
// as "val loss 0.3", is no mark.
var bareMark = regexp.MustCompile(`^[\W_]*(?:epoch[\W_]*\d+(?:\s*/\s*\d+)?[\W_]*)?(?:(train|training)|val|validate|validation|eval|evaluate|evaluation)(?:[\W_]+epoch[\W_]*\d+(?:\s*/\s*\d+)?)?[\W_]*$`)

// bareStage is a line that says nothing but the number of a stage, a fold or a
// trial.
var bareStage = regexp.MustCompile(`^[\W_]*(?:(?:begin|beginning|start|starting|enter|entering)[\W_]+)?(?:training[\W_]+)?(?:stage|fold|trial)[\W_]*\d+(?:\s*(?:/|of)\s*\d+)?[\W_]*$`)

// phaseOf returns the phase that a line, in lower case, announces.
func phaseOf(line string) (phase, bool) {
	if len(line) >= 200 {
		return noPhase, false
	}
	if len(line) <= 60 && (strings.Contains(line, "stage") || strings.Contains(line, "fold") || strings.Contains(line, "trial")) && bareStage.MatchString(line) {
		return phaseStage, true
	}
	if p, ok := phaseTexts.in(line); ok {
		return p, true
	}
	if len(line) > 60 {
		return noPhase, false
	}
	m := bareMark.FindStringSubmatch(line)
	if m == nil {
		return noPhase, false
	}
	if m[1] != "" {
		return phaseTrain, true
	}
	return phaseEval, true
}

// phaseWords are the phases that the log reader tells by itself.
var phaseWords = map[string]phase{
	"train": phaseTrain, "eval": phaseEval, "load": phaseResume, "restart": phaseResume, "save": phaseSave, "checkpoint": phaseSave,
}

var frameTexts = texts[frame]{
	{"/optim/", frameOptimizer}, {"optimizer.step", frameOptimizer}, {"_init_group", frameOptimizer}, {"exp_avg", frameOptimizer},
	{"cross_entropy", frameLogits}, {"log_softmax", frameLogits}, {"lm_head(", frameLogits}, {"logits.float()", frameLogits},
	{"past_key_value", frameCache}, {"kv_cache", frameCache}, {"cache_utils", frameCache}, {"dynamiccache", frameCache},
	{"cuda_graph", frameCapture}, {"cudagraph", frameCapture}, {"graph_capture", frameCapture}, {"capture_model", frameCapture},
	{"torch.load", frameCheckpoint}, {"load_state_dict", frameCheckpoint}, {"load_checkpoint", frameCheckpoint},
	{"torch/serialization.py", frameCheckpoint},
	{"from_pretrained", frameLoad}, {", in __init__", frameLoad}, {", in _apply", frameLoad}, {", in cuda", frameLoad},
	{"modeling_utils.py", frameLoad}, {", in load_model", frameLoad}, //nolint:misspell // the name of the file
	{"in validate", frameEval}, {"in evaluate", frameEval}, {"in evaluation_loop", frameEval}, {"in validation", frameEval}, {"in eval", frameEval},
	{".backward(", frameBackward}, {"run_backward", frameBackward}, {"autograd/", frameBackward},
	{"conv2d(", frameConv}, {"conv3d(", frameConv}, {"conv1d(", frameConv}, {"cudnn", frameConv},
	{"forward(", frameForward}, {", in forward", frameForward}, {"_call_impl", frameForward},
}

func (x texts[T]) in(line string) (is T, ok bool) {
	for _, e := range x {
		if strings.Contains(line, e.piece) {
			return e.is, true
		}
	}
	return is, false
}

// scanLines reads phases, the stacks above errors, and texts of known errors.
func scanLines(s *scene, lines []monitor.LogLine) hints {
	var h hints
	announcer := s.announcer()
	for _, r := range s.all {
		if p, ok := phaseWords[r.Phase]; ok && r.Kind != monitor.LogOOM {
			h.phases = append(h.phases, phaseMark{s.place(r.Time, r.Line), p, announcer(r.PID)})
		}
	}
	for _, m := range s.w.Marks {
		if p, ok := phaseOf(short(m.Text)); ok {
			h.phases = append(h.phases, phaseMark{s.seconds(m.Time), p, 0})
		}
	}
	frames := map[frame]bool{}
	inTrace := false
	for _, l := range lines[max(0, len(lines)-maxHintLines):] {
		text := short(l.Text)
		t := s.place(l.Time, l.Number)
		if strings.Contains(text, "traceback (most recent call last)") {
			frames, inTrace = map[frame]bool{}, true
			continue
		}
		if strings.Contains(text, "out of memory") && !strings.Contains(text, "killed process") {
			h.stacks = append(h.stacks, stackMark{t: t, frames: frames, text: text})
			frames, inTrace = map[frame]bool{}, false
		}
		if kind, ok := troubleOf(text); ok {
			h.troubles = append(h.troubles, troubleMark{t: t, kind: kind, text: l.Text, pid: l.PID})
		}
		if inTrace || strings.HasPrefix(text, `  file "`) {
			for _, e := range frameTexts {
				if strings.Contains(text, e.piece) {
					frames[e.is] = true
				}
			}
			continue
		}
		if p, ok := phaseOf(text); ok {
			h.phases = append(h.phases, phaseMark{t, p, announcer(l.PID)})
		}
	}
	return h
}

// short returns the beginning of a text in lower case.
func short(text string) string {
	if len(text) > maxHintBytes {
		text = text[:maxHintBytes]
	}
	return strings.ToLower(text)
}

// hugeRequest finds a request of a million GiB and more, which is larger than
// any figure in bytes that a reading can hold.
var hugeRequest = regexp.MustCompile(`tried to allocate (?:[0-9]{7,}(?:\.[0-9]+)? gib|more than 1eb)`)

// overflowed reports whether the text of a failure near that time asks for more
// than any machine has.
func (h hints) overflowed(t, within float64) bool {
	for _, m := range h.stacks {
		if abs(m.t-t) <= within && hugeRequest.MatchString(m.text) {
			return true
		}
	}
	return false
}

// hasTrouble reports whether a text of that kind stands near a time.
func (h hints) hasTrouble(t, within float64, kind trouble) bool {
	for _, m := range h.troubles {
		if m.kind == kind && abs(m.t-t) <= within {
			return true
		}
	}
	return false
}

// framesNear returns what the traceback nearest to an error was doing.
func (h hints) framesNear(t, within float64) map[frame]bool {
	best, at := map[frame]bool{}, within
	for _, m := range h.stacks {
		if d := abs(m.t - t); d <= at && len(m.frames) > 0 {
			best, at = m.frames, d
		}
	}
	return best
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}
