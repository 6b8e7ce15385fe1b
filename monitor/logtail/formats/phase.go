package formats

import "strings"

// phases are the sentences by which jobs tell what they are about to do, in
// lower case. The first that fits is taken.
var phases = []struct{ text, phase string }{
	{"restarting worker group", "restart"},
	{"restart_count=", "restart"},
	{"restarting training", "restart"},
	{"saving model checkpoint", "checkpoint"},
	{"saving checkpoint", "checkpoint"},
	{"saving the checkpoint", "checkpoint"},
	{"saving a checkpoint", "checkpoint"},
	{"saved checkpoint", "checkpoint"},
	{"checkpoint saved", "checkpoint"},
	{"before save_checkpoint", "checkpoint"},
	{"saving model", "save"},
	{"saving the model", "save"},
	{"saving weights", "save"},
	{"model saved", "save"},
	{"saved model", "save"},
	{"loading checkpoint", "load"},
	{"loaded checkpoint", "load"},
	{"loading model", "load"},
	{"loading weights", "load"},
	{"loading pipeline components", "load"},
	{"resuming from", "load"},
	{"resumed from", "load"},
	{"resume from checkpoint", "load"},
	{"running evaluation", "eval"},
	{"running validation", "eval"},
	{"running prediction", "eval"},
	{"start evaluation", "eval"},
	{"starting evaluation", "eval"},
	{"begin evaluation", "eval"},
	{"evaluating:", "eval"},
	{"validate step", "eval"},
	{"validation epoch", "eval"},
	{"sanity checking", "eval"},
	{"running training", "train"},
	{"starting training", "train"},
	{"start training", "train"},
	{"training starts", "train"},
	{"begin training", "train"},
	{"training started", "train"},
}

// phaseOf returns the phase that a line announces, or "".
func phaseOf(s string, h hints) string {
	if h&hintPhase == 0 || len(s) > 512 {
		return ""
	}
	var buf [512]byte
	l := lower(buf[:0], s)
	for i := range phases {
		if containsBytes(l, phases[i].text) {
			return phases[i].phase
		}
	}
	return ""
}

func containsBytes(b []byte, text string) bool {
	return strings.Contains(string(b), text)
}

// rateOf reads the steps per second of a progress bar: "2.78it/s", "1.31s/it".
func rateOf(s string) (float64, bool) {
	if i := strings.LastIndex(s, "it/s"); i > 0 {
		return floatBefore(s, i)
	}
	if i := strings.LastIndex(s, "s/it"); i > 0 {
		if v, ok := floatBefore(s, i); ok && v > 0 {
			return 1 / v, true
		}
	}
	return 0, false
}

func floatBefore(s string, i int) (float64, bool) {
	for i > 0 && s[i-1] == ' ' {
		i--
	}
	j := i
	for j > 0 && (isDigit(s[j-1]) || s[j-1] == '.') {
		j--
	}
	if j == i || !isDigit(s[j]) {
		return 0, false
	}
	var t token
	readNumber(&t, s[:i], j)
	return t.value, true
}

// quickRank reads the rank in front of a line without cutting it up.
func quickRank(s string) place {
	var pl place
	head := s[:min(len(s), 120)]
	for from := 0; ; {
		i := strings.Index(head[from:], "ank")
		if i < 0 {
			return pl
		}
		i += from
		from = i + 3
		if i == 0 || head[i-1]|0x20 != 'r' || i > 1 && isLetter(head[i-2]) || precededBy(head, i-1, "local") {
			continue
		}
		j := from
		for j < len(s) && j < from+4 && (s[j] == ' ' || s[j] == ':' || s[j] == '=' || s[j] == '-') {
			j++
		}
		k := j
		for k < len(s) && isDigit(s[k]) && k-j < 7 {
			k++
		}
		if n, ok := small(s[j:k], maxRank); ok {
			pl.rank, pl.hasRank = n, true
			return pl
		}
	}
}
