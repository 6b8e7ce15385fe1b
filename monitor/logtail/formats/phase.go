package formats

// saying is what a text tells of the job's phases.
type saying uint8

const (
	saysNothing  saying = iota
	begins              // a phase begins
	goesOn              // a line of a phase: it begins where the phase changes
	matters             // an evaluation is over, a stage begins: no phase, but not to be lost
	troubles            // of the host: no failure of the GPU's memory, but not to be lost
	saysTrained         // litgpt: its memory line will be of training
	saysInferred        // litgpt: or of generating
)

// announcement is a group of texts, in lower case, by which jobs tell what they
// are about to do.
type announcement struct {
	says  saying
	phase string
	texts []string
}

// announcements are tried in this order; the first of which a text stands in the
// line is taken. Sentences stand before the words of progress bars, which stand
// in many sentences.
var announcements = []announcement{
	{troubles, "", []string{
		"insufficient shared memory", "out of shared memory", "unable to open shared memory object", "memory cgroup out of memory",
		"oomkilled", "oom-kill event", "oom_kill event", "out of memory: killed process", "defaultcpuallocator:",
		"cannot allocate memory", "cudahostalloc", "pin memory thread", "cachinghostallocator", "uncorrectable ecc",
	}},
	{matters, "", []string{
		"validation done", "validation finished", "validation complete", "finished validat", "end of validation",
		"eval done", "evaluation done", "evaluation finished", "evaluation complete", "finished evaluat", "end of evaluation",
		"=== stage", "start stage", "starting stage", "begin stage", "entering stage",
	}},
	{begins, "restart", []string{"restarting worker group", "restart_count=", "restarting training"}},
	{begins, "checkpoint", []string{
		"saving model checkpoint", "saving checkpoint", "saving the checkpoint", "saving a checkpoint",
		"writing checkpoint", "saved checkpoint", "checkpoint saved", "before save_checkpoint",
	}},
	{begins, "save", []string{"saving model", "saving the model", "saving weights", "model saved", "saved model"}},
	{begins, "load", []string{
		"loading checkpoint", "loaded checkpoint", "load checkpoint from", "loading model", "loading weights",
		"loading pipeline components", "resuming from", "resumed from", "resuming training from", "resume from checkpoint",
		"restored all states from", "restoring states from",
	}},
	{begins, "eval", []string{
		"running evaluation", "running validation", "running prediction", "running eval", "running sanity check",
		"start evaluation", "starting evaluation", "start eval ", "starting eval ", "begin evaluation", "beginning evaluation",
		"start validation", "starting validation", "begin validation", "beginning validation", "start inference on",
		"*** evaluating", "*** eval ", "*** validation", "validate step",
	}},
	{goesOn, "eval", []string{
		"evaluating:", "evaluating epoch", "evaluating iter", "validating:", "validation dataloader", "validation sanity check",
		"sanity checking", "eval epoch:", "validation epoch", "epoch(val)", "iter(val)", "test: [", "test:  [",
	}},
	{begins, "train", []string{
		"running training", "starting training", "start training", "training starts", "begin training", "beginning training", "training started",
	}},
	{goesOn, "train", []string{"train epoch:", "training epoch:", "epoch(train)", "iter(train)"}},
	{saysTrained, "", []string{"training time:"}},
	{saysInferred, "", []string{"time for inference"}},
}

// maxAnnouncement is the longest line that may announce a phase, in bytes.
const maxAnnouncement = 512

// phases is what earlier lines have told of where the job is.
type phases struct {
	now   string  // the phase announced last, "" once it has gone on to something else
	epoch float64 // of that announcement
}

// announce looks for a phase in the line, whose step and epoch are read. A
// sentence, or a bare word, begins one. The lines of a loop are many, and the
// first of them does.
func (p *Parser) announce(h hints) {
	says, phase := saysNothing, ""
	switch said := p.survey.says; {
	case len(p.text) > maxAnnouncement:
	case said != nil:
		says, phase = said.says, said.phase
	case h&hintPhase != 0:
		says, phase = p.bareWord()
	}
	switch says {
	case saysNothing:
		if p.linestep.any() {
			p.phases.now = "" // a step of a loop that does not say its name
		}
		return
	case saysTrained:
		p.note.trainedAt, p.note.inferredAt, p.used = p.count+1, 0, true
		return
	case saysInferred:
		p.note.inferredAt, p.note.trainedAt, p.used = p.count+1, 0, true
		return
	case troubles:
		p.kept = true
		return
	case matters:
		p.phases.now, p.kept = "", true
		return
	case goesOn:
		if phase == p.phases.now && (phase == "train" || !p.linestep.hasEpoch || p.linestep.epoch == p.phases.epoch) {
			return
		}
	case begins:
	}
	p.phases = phases{now: phase, epoch: p.linestep.epoch}
	p.linestep.phase = phase
}
