package formats

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// progress is how far a line says the job is.
type progress struct {
	step     int64
	epoch    float64
	hasStep  bool
	hasEpoch bool
	weight   uint8 // of the word that gave the step; the strongest wins
	phase    string
	rate     float64 // steps per second
	hasRate  bool
	// unfit says that the line names a step or an epoch whose figure cannot be
	// one, so that no other line's may stand for it.
	unfit bool
}

func (pr progress) into(r *monitor.LogReading) {
	if pr.hasStep {
		r.Step = monitor.Known(pr.step)
	}
	if pr.hasEpoch {
		r.Epoch = monitor.Known(pr.epoch)
	}
	if pr.hasRate {
		r.StepsPerSecond = monitor.Known(pr.rate)
	}
	r.Phase = pr.phase
}

func (pr progress) any() bool { return pr.hasStep || pr.hasEpoch || pr.phase != "" }

// stepWeight returns how sure a name means the optimiser's steps; 0 for other
// words, which are in lower case.
func stepWeight(w []byte) uint8 {
	switch string(w) {
	case "global_step", "num_updates", "trainer_step", "globalstep":
		return 5
	case "step", "current_steps", "train_step", "training_step", "cur_step", "current_step":
		return 4
	case "iteration", "iter", "iterations":
		return 3
	case "it":
		return 2
	case "batch", "batch_idx":
		return 1
	}
	return 0
}

// isEpochWord reports whether a name in lower case means epochs.
func isEpochWord(w []byte) bool {
	switch string(w) {
	case "epoch", "ep", "current_epoch", "cur_epoch":
		return true
	}
	return false
}

// progressWords finds where the names of steps and epochs may stand. Each begins
// with a word of the first look.
var progressWords = newFinder("step", "iter", "it!", "batch", "poch", "ep!", "updat", "rain:")

// scan finds step and epoch in a clean line of which the first look is given. It
// reads around the words that name them and nothing else.
func (pr *progress) scan(s string, first look) {
	if first.words&namesOfSteps == 0 {
		return
	}
	where := first.where
	for i, _ := progressWords.next(s, 0, 0, where); i >= 0; i, _ = progressWords.next(s, i, 0, where) {
		start, end := i, i
		for end < len(s) && inWord(s[end]) {
			end++
		}
		for start > 0 && inWord(s[start-1]) {
			start--
		}
		for start < end && isDigit(s[start]) {
			start++ // "33epoch"
		}
		i = end
		if end-start <= 16 {
			i = scanWord(pr, s, start, end)
		}
	}
}

func inWord(c byte) bool { return isLetter(c) || isDigit(c) }

// scanWord looks at the word s[i:j] and returns where to go on.
func scanWord(pr *progress, s string, i, j int) int {
	var buf [16]byte
	for i < j && s[i] == '_' { // "_step"
		i++
	}
	w := lower(buf[:0], s[i:j])
	if weight := stepWeight(w); weight > 0 {
		stepAt(pr, s, i, j, weight)
		return j
	}
	if isEpochWord(w) || string(w) == "train" && strings.HasPrefix(s[j:], ": [") {
		return epochAt(pr, s, i, j)
	}
	if len(w) > 5 && string(w[:5]) == "epoch" && !pr.hasEpoch {
		if n, ok := small(s[i+5:j], 1<<20); ok && isDigits(s[i+5:j]) {
			pr.epoch, pr.hasEpoch = float64(n), true
		}
	}
	return j
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// stepAt reads the number that belongs to the step word s[i:j].
func stepAt(pr *progress, s string, i, j int, weight uint8) {
	if weight <= pr.weight || precededBy(s, i, "per") || precededBy(s, i, "each") || precededBy(s, i, "every") || precededBy(s, i, "of") {
		return
	}
	n, k, ok := intAfter(s, j)
	if !ok && k < len(s) && isDigit(s[k]) {
		pr.unfit = true
		return
	}
	if ok && k < len(s) && s[k] == '.' && k+1 < len(s) && isDigit(s[k+1]) {
		return // seconds, not steps
	}
	if ok && k < len(s) && (isLetter(s[k]) && s[k] < 0x80 || s[k] == '%') && s[k]|0x20 != 'e' {
		return // "step 12ms"
	}
	if !ok {
		if n, ok = intBefore(s, i); n > maxCount {
			pr.unfit = true
			return
		}
	}
	if ok {
		pr.step, pr.hasStep, pr.weight = n, true, weight
	}
}

// maxCount bounds what is believed to be a step or an epoch.
const maxCount = 999_999_999_999_999

// isCount reports whether a figure can be a step or an epoch.
func isCount(v float64) bool { return v >= 0 && v <= maxCount }

// intAfter reads a whole number behind a word: over blanks, quotes and one
// separator. It returns where the number ends. One with more digits than a
// count has, or with an exponent, is none: then it returns where it begins.
func intAfter(s string, j int) (int64, int, bool) {
	k, colon := j, false
	for k < len(s) && k-j < 24 {
		switch c := s[k]; {
		case c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '[' || c == '#':
			k++
			continue
		case (c == ':' || c == '=') && !colon:
			colon = true
			k++
			continue
		case c == '(' && !colon && wrapperEnds(s, k) > 0:
			k = wrapperEnds(s, k)
			continue
		}
		break
	}
	n, end := int64(0), k
	for end < len(s) && isDigit(s[end]) && end-k < 15 {
		n = n*10 + int64(s[end]-'0')
		end++
	}
	for end < len(s) && end > k && end-k <= 11 && s[end] == ',' && threeDigits(s[end+1:]) && !colonJSON(s, k) {
		n = n*1000 + int64(s[end+1]-'0')*100 + int64(s[end+2]-'0')*10 + int64(s[end+3]-'0')
		end += 4
	}
	if end > k && (end < len(s) && isDigit(s[end]) || hasExponent(s[end:])) {
		return 0, k, false
	}
	return n, end, end > k
}

// hasExponent reports whether s goes on with an exponent of any length.
func hasExponent(s string) bool {
	if s == "" || s[0]|0x20 != 'e' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && isDigit(s[0])
}

// colonJSON reports whether the number at k stands in a dictionary, where a
// comma separates fields.
func colonJSON(s string, k int) bool { return k > 0 && (s[k-1] == '"' || s[k-1] == '\'') }

func threeDigits(s string) bool {
	return len(s) >= 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) && (len(s) == 3 || !isDigit(s[3]))
}

// wrapperEnds steps over "(train)" between a word and its number; 0 when it is
// something else.
func wrapperEnds(s string, k int) int {
	e := k + 1
	for e < len(s) && e-k < 12 && s[e] >= 'a' && s[e] <= 'z' {
		e++
	}
	if e < len(s) && s[e] == ')' && e > k+1 {
		return e + 1
	}
	return 0
}

// intBefore reads a whole number in front of a word, as in "after 20
// iterations". Only behind "after": "1000 steps" is a plan.
func intBefore(s string, i int) (int64, bool) {
	k := i
	for k > 0 && s[k-1] == ' ' {
		k--
	}
	from := k
	for from > 0 && isDigit(s[from-1]) && k-from < 24 {
		from--
	}
	if from == k || !precededBy(s, from, "after") {
		return 0, false
	}
	n := int64(0)
	for _, c := range []byte(s[from:k]) {
		n = min(n*10+int64(c-'0'), maxCount+1)
	}
	return n, true
}

// precededBy reports whether the word stands in front of s[i:].
func precededBy(s string, i int, word string) bool {
	for i > 0 && s[i-1] == ' ' {
		i--
	}
	if i < len(word) || !equalFold(s[i-len(word):i], word) {
		return false
	}
	return i == len(word) || !isLetter(s[i-len(word)-1])
}

// epochAt reads the number of the epoch word s[i:j], and the iteration in
// brackets behind it: "Epoch [1][2400/7517]".
func epochAt(pr *progress, s string, i, j int) int {
	if pr.hasEpoch || precededBy(s, i, "per") || precededBy(s, i, "each") || precededBy(s, i, "every") {
		return j
	}
	n, k, ok := intAfter(s, j)
	if !ok {
		if k < len(s) && isDigit(s[k]) {
			pr.unfit = true
			return j
		}
		if e, found := epochBefore(s, i); found {
			pr.epoch, pr.hasEpoch = e, true
		}
		return j
	}
	v := float64(n)
	if k+1 < len(s) && s[k] == '.' && isDigit(s[k+1]) {
		scale := 0.1
		for k++; k < len(s) && isDigit(s[k]); k++ {
			v += float64(s[k]-'0') * scale
			scale /= 10
		}
		if hasExponent(s[k:]) {
			pr.unfit = true
			return k
		}
		v = roundDecimals(v)
	}
	if k < len(s) && s[k] == '%' {
		return k
	}
	pr.epoch, pr.hasEpoch = v, true
	bracketIteration(pr, s, k)
	return k
}

func roundDecimals(v float64) float64 {
	const scale = 1e9
	return float64(int64(v*scale+0.5)) / scale
}

// epochBefore reads "33epoch".
func epochBefore(s string, i int) (float64, bool) {
	k := i
	for k > 0 && isDigit(s[k-1]) && i-k < 7 {
		k--
	}
	if k == i || k > 0 && (isLetter(s[k-1]) || s[k-1] == '.') {
		return 0, false
	}
	n, _ := small(s[k:i], 1<<20)
	return float64(n), true
}

// bracketIteration reads the "[2400/7517]" behind an epoch.
func bracketIteration(pr *progress, s string, k int) {
	if k < len(s) && s[k] == '/' {
		for k++; k < len(s) && isDigit(s[k]); k++ {
		}
	}
	if k < len(s) && s[k] == ']' {
		k++
	}
	for k < len(s) && s[k] == ' ' {
		k++
	}
	if k >= len(s) || s[k] != '[' || pr.weight >= 2 {
		return
	}
	n, end, ok := intAfter(s, k)
	if ok && end < len(s) && s[end] == '/' {
		pr.step, pr.hasStep, pr.weight = n, true, 2
	}
}
