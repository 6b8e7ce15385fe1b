package formats

import "strings"

// Looks reports whether a line looks like memory: it has a word of memory and
// a size. `vramscope parse --unknown` lists such lines when nothing was read
// from them, so that a new format is one paste. Lines about host memory, rates
// and plans look like it and are known not to be.
func Looks(s string) bool {
	if len(s) > maxLine {
		s = s[:maxLine]
	}
	s, _ = clean(s, nil)
	low := string(lower(nil, s)) // ASCII only, so that positions stay
	if !containsAny(low, "mem", "alloc", "reserv", "vram", "cache") {
		return false
	}
	if containsAny(low, "cpu", "host", "rss", "swap", "kv cache", "shm", "disk", "download") {
		return false
	}
	unitBefore, unitOfAll := false, false // "mem_used_gb", "Memory (GiB): "
	toks := tokenize(s, nil)
	for i, t := range toks {
		switch {
		case t.kind == kindWord:
			w := low[t.start:t.end]
			_, unit := wordUnit([]byte(w[strings.LastIndexByte(w, '_')+1:]))
			unitOfAll = unitOfAll || unit && i > 0 && isMark(s, toks[i-1], "([")
			unitBefore = unit || unitOfAll
		case t.kind == kindNumber && (unitBefore || t.unit.form != unitNone) && !t.rate && !t.percent && !t.named:
			return true
		}
	}
	return false
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
