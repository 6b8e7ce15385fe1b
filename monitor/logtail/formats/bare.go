package formats

import "strings"

// bareKind is what a word says in a line that only names a phase.
type bareKind uint8

const (
	bareNone bareKind = iota
	bareTrain
	bareEval
	bareStart // and what goes with it
	bareEnd
	bareEpoch // a number may follow
)

// bareKindOf types a word in lower case.
func bareKindOf(w string) bareKind {
	switch w {
	case "train", "training":
		return bareTrain
	case "val", "valid", "validate", "validation", "validating", "eval", "evaluate", "evaluation", "evaluating":
		return bareEval
	case "start", "starting", "started", "starts", "begin", "begins", "beginning", "entering", "enter", "running", "run",
		"phase", "loop", "now", "the", "of", "for", "in":
		return bareStart
	case "end", "ended", "ends", "done", "finished", "complete", "completed":
		return bareEnd
	case "epoch":
		return bareEpoch
	}
	return bareNone
}

// maxBareWords and maxBare bound a line that only names a phase: its words, and
// its bytes behind what a logger puts in front.
const (
	maxBareWords = 8
	maxBare      = 80
)

// bareWord reads a line that says nothing but a phase's name, perhaps with the
// number of the epoch, that it starts or is done, and some ornament: "Epoch 3
// validation", "=== EVAL ===". With anything else in it, as "val loss 0.3", it is
// none. A progress bar may go on behind it: "Validation:  50%|".
func (p *Parser) bareWord() (saying, string) {
	s := p.text
	bar := strings.Index(s, "%|")
	if bar >= 0 {
		s = strings.TrimRight(s[:bar], "0123456789 :")
	}
	if !endsBare(s) {
		return saysNothing, ""
	}
	p.lowBuf = lower(p.lowBuf[:0], s)
	low := view(p.lowBuf)
	core := strings.TrimSpace(low[prefixEnd(low):])
	if bar >= 0 {
		if says, phase := bareWords(core); says == begins {
			return goesOn, phase
		}
		return saysNothing, ""
	}
	if len(core) > maxBare || isConfigKey(strings.TrimSpace(s)) || isItem(s, core) {
		return saysNothing, ""
	}
	return bareWords(core)
}

// endsBare reports whether the last word of a line can be that of a bare one.
func endsBare(s string) bool {
	i := len(s)
	for i > 0 && !isAlnum(s[i-1]) {
		i--
	}
	j := i
	for j > 0 && isAlnum(s[j-1]) {
		j--
	}
	if j == i || i-j > 12 {
		return false
	}
	var buf [20]byte
	if isDigits(s[j:i]) {
		return strings.Contains(string(lower(buf[:0], s[max(0, i-20):i])), "epoch")
	}
	return bareKindOf(string(lower(buf[:0], s[j:i]))) != bareNone
}

// isConfigKey reports whether a line is a key of a configuration, "train:", or an
// item of a list.
func isConfigKey(s string) bool {
	name, ok := strings.CutSuffix(s, ":")
	return ok && bareKindOf(name) != bareNone // in lower case, and nothing else
}

// isItem reports whether a line is an item of a list, "- train", or a flag.
func isItem(s, core string) bool {
	s = strings.TrimLeft(s, " \t")
	return strings.HasPrefix(s, "- ") || strings.HasPrefix(core, "-") && !strings.HasSuffix(core, "-")
}

func isAlnum(c byte) bool { return isLetter(c) && c < 0x80 || isDigit(c) }

// bareWords reads words that only name a phase.
func bareWords(core string) (saying, string) {
	phase, over, epoch := bareNone, false, false
	for i, words := 0, 0; i < len(core); words++ {
		j := i
		for j < len(core) && isAlnum(core[j]) {
			j++
		}
		if j == i {
			if strings.IndexByte("{}\"'`,=/\\", core[i]) >= 0 && joinsWords(core, i) {
				return saysNothing, ""
			}
			i++
			words--
			continue
		}
		word := core[i:j]
		kind := bareKindOf(word)
		switch {
		case words >= maxBareWords:
			return saysNothing, ""
		case kind == bareNone:
			if !epoch || !isDigits(word) {
				return saysNothing, ""
			}
		case kind == bareTrain || kind == bareEval:
			if phase != bareNone && phase != kind {
				return saysNothing, ""
			}
			phase = kind
		}
		over = over || kind == bareEnd
		epoch = epoch || kind == bareEpoch
		i = j
	}
	switch {
	case phase == bareEval && over:
		return matters, ""
	case phase == bareEval:
		return begins, "eval"
	case phase == bareTrain && !over:
		return begins, "train"
	}
	return saysNothing, ""
}

// joinsWords reports whether the mark at i is part of something that is written
// without blanks, as "mode=train" and "data/train", and no ornament. A fraction
// is none.
func joinsWords(s string, i int) bool {
	left, right := i > 0 && isAlnum(s[i-1]), i+1 < len(s) && isAlnum(s[i+1])
	switch s[i] {
	case '=':
		return left && right
	case '/':
		fraction := left && right && isDigit(s[i-1]) && isDigit(s[i+1])
		return (left || right) && !fraction
	}
	return true
}
