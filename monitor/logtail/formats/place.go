package formats

// place is where a line comes from: the rank that printed it and the device
// it speaks of. They are different things and both are kept.
type place struct {
	rank, gpu       int
	hasRank, hasGPU bool
	worker          int // pid of a Ray or vLLM worker, from its prefix
	hasWorker       bool
}

// places marks the tokens that name a rank or a device, so that they count as
// names and not as figures, and returns what they say.
func (p *Parser) places() place {
	var pl place
	p.devices = p.devices[:0]
	p.launcherPrefix(&pl)
	for i := range p.toks {
		t := &p.toks[i]
		if t.kind != kindWord || !placeInitials[p.text[t.start]] {
			continue
		}
		name, digits := splitDigits(p.text[t.start:t.end])
		switch len(name) {
		case 3:
			if equalFold(name, "gpu") {
				p.deviceAt(&pl, i, digits, false)
			} else if equalFold(name, "pid") {
				p.workerAt(&pl, i)
			}
		case 4:
			if equalFold(name, "rank") {
				p.rankAt(&pl, i, digits)
			} else if equalFold(name, "cuda") && (digits != "" || i+1 < len(p.toks) && isMark(p.text, p.toks[i+1], ":") && p.toks[i+1].gap == 0) {
				p.deviceAt(&pl, i, digits, false) // "CUDA 12" is a version
			}
		case 6:
			if device := equalFold(name, "device"); device || equalFold(name, "gpu_id") {
				p.deviceAt(&pl, i, digits, device)
			}
		case 11:
			if equalFold(name, "global_rank") {
				p.rankAt(&pl, i, digits)
			}
		}
	}
	return pl
}

// workerAt reads the PID of a Ray or vLLM worker, in the brackets that a line
// begins with.
func (p *Parser) workerAt(pl *place, i int) {
	if pl.hasWorker || p.toks[0].start != 0 || !isMark(p.text, p.toks[0], "(") {
		return
	}
	if n := p.numberAfter(i, "="); n > 0 {
		pl.worker, pl.hasWorker = int(p.toks[n].value), true
	}
}

// placeInitials are the first letters of the words that name a place.
var placeInitials = [256]bool{
	'r': true, 'R': true, 'g': true, 'G': true, 'c': true, 'C': true, 'd': true, 'D': true, 'p': true, 'P': true,
}

// splitDigits splits "rank3" into its name and its digits.
func splitDigits(w string) (string, string) {
	i := len(w)
	for i > 0 && isDigit(w[i-1]) {
		i--
	}
	return w[:i], w[i:]
}

func equalFold(s, want string) bool {
	if len(s) != len(want) {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// maxRank and maxDevice bound what is believed to be a rank or a device.
const (
	maxRank   = 1 << 17
	maxDevice = 127
)

func (p *Parser) rankAt(pl *place, i int, digits string) {
	if i > 0 && p.toks[i-1].kind == kindWord {
		if before := p.text[p.toks[i-1].start:p.toks[i-1].end]; equalFold(before, "local") || equalFold(before, "lora") {
			return // the rank on its node; the size of an adapter
		}
	}
	if n, ok := small(digits, maxRank); ok {
		p.setRank(pl, n)
		p.toks[i].place = true
		return
	}
	if digits != "" {
		return
	}
	n := p.numberAfter(i, ":=-")
	if n < 0 || !p.toks[n].whole || p.toks[n].unit.form != unitNone || p.toks[n].percent || p.toks[n].value > maxRank {
		return
	}
	p.setRank(pl, int(p.toks[n].value))
	for ; i <= n; i++ {
		p.toks[i].place = true
	}
}

// setRank keeps the first rank of a line.
func (p *Parser) setRank(pl *place, n int) {
	if !pl.hasRank {
		pl.rank, pl.hasRank = n, true
	}
}

func (p *Parser) deviceAt(pl *place, i int, digits string, device bool) {
	first := i
	if n, ok := small(digits, maxDevice); ok {
		if next := i + 1; next < len(p.toks) && isMark(p.text, p.toks[next], ".") && p.toks[next].gap == 0 {
			return
		}
		p.setDevice(pl, first, n)
		p.toks[i].place = true
		return
	}
	if digits != "" {
		return
	}
	if device && i+1 < len(p.toks) && p.toks[i+1].kind == kindWord && equalFold(p.text[p.toks[i+1].start:p.toks[i+1].end], "id") {
		i++
	}
	n := p.numberAfter(i, ":=#[")
	if n < 0 {
		return
	}
	t := p.toks[n]
	if isMark(p.text, p.toks[n-1], "[") && (n+1 >= len(p.toks) || !isMark(p.text, p.toks[n+1], "]")) {
		return // "GPU [12/40]"
	}
	if !t.whole || t.unit.form != unitNone || t.percent || t.rate || t.value > maxDevice || t.named || t.sign != 0 {
		return
	}
	if n+1 < len(p.toks) && isMark(p.text, p.toks[n+1], "/") && n+2 < len(p.toks) && p.toks[n+2].kind == kindNumber {
		return // "GPU 3/24 GB"
	}
	p.setDevice(pl, first, int(t.value))
	for k := first; k <= n; k++ {
		p.toks[k].place = true
	}
	// the word stays a word: "gpu" and "cuda" tell that a label is about a device
	p.toks[first].place = false
}

func (p *Parser) setDevice(pl *place, token, n int) {
	if !pl.hasGPU {
		pl.gpu, pl.hasGPU = n, true
	}
	if len(p.devices) == 0 || p.deviceNumber(p.devices[len(p.devices)-1]) != n {
		p.devices = append(p.devices, token)
		p.deviceIDs = append(p.deviceIDs[:len(p.devices)-1], n)
	}
}

func (p *Parser) deviceNumber(token int) int {
	for i, at := range p.devices {
		if at == token {
			return p.deviceIDs[i]
		}
	}
	return -1
}

// numberAfter returns the number token behind word i, over quotes and at most
// one of the separators; -1 when there is none.
func (p *Parser) numberAfter(i int, separators string) int {
	s, toks := p.text, p.toks
	j := i + 1
	for j < len(toks) && isMark(s, toks[j], "'\"") {
		j++
	}
	if j < len(toks) && isMark(s, toks[j], separators) {
		j++
	}
	for j < len(toks) && isMark(s, toks[j], "'\"") {
		j++
	}
	if j < len(toks) && toks[j].kind == kindNumber && j-i <= 5 {
		return j
	}
	return -1
}

func small(digits string, limit int) (int, bool) {
	if digits == "" || len(digits) > 6 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(digits); i++ {
		n = n*10 + int(digits[i]-'0')
	}
	return n, n <= limit
}

// prefixTokens is how far into a line launchers' labels are looked for: other
// collectors may have put theirs in front.
const prefixTokens = 48

// launcherPrefix reads what launchers put in front of a line: torchelastic's
// "[default3]:" (role and local rank) and srun's " 3: " (task). With one task
// a device, which is the rule, a task is a rank.
func (p *Parser) launcherPrefix(pl *place) {
	s, toks := p.text, p.toks
	for i := 0; i+2 < min(len(toks), prefixTokens) && !pl.hasRank; i++ {
		switch toks[i].kind {
		case kindMark:
			if s[toks[i].start] == '[' {
				p.roleLabel(pl, i+1)
			}
		case kindNumber:
			p.taskLabel(pl, i)
		case kindWord:
		}
	}
}

// roleLabel reads torchelastic's label, whose word is token i.
func (p *Parser) roleLabel(pl *place, i int) {
	s, toks := p.text, p.toks
	if toks[i].kind != kindWord || toks[i].gap > 0 || !isMark(s, toks[i+1], "]") ||
		i+2 >= len(toks) || !isMark(s, toks[i+2], ":") || toks[i+2].gap > 0 {
		return
	}
	name, digits := splitDigits(s[toks[i].start:toks[i].end])
	if n, ok := small(digits, maxRank); ok && name != "" {
		p.setRank(pl, n)
		toks[i].place = true
	}
}

// taskLabel reads srun's label at token i: at the start of a line, or right
// behind what a collector put there.
func (p *Parser) taskLabel(pl *place, i int) {
	s, toks := p.text, p.toks
	if toks[i+1].kind != kindMark || s[toks[i+1].start] != ':' || toks[i+1].gap > 0 || toks[i+2].gap == 0 {
		return // most numbers are none
	}
	t := &toks[i]
	width := 4
	if i > 0 {
		width = 3
		last := toks[i-1]
		quoted := i == 1 && isMark(s, last, "`\"'")
		if !quoted && (t.gap == 0 || !isMark(s, last, "|])-") && s[last.start:last.end] != "F" && s[last.start:last.end] != "Z" && s[last.start:last.end] != "INFO") {
			return
		}
	}
	if t.whole && int(t.end-t.start) <= width && t.gap <= 4 && (i == 0 || toks[i+2].kind == kindWord) {
		p.setRank(pl, int(t.value))
		toks[i].place = true
	}
}
