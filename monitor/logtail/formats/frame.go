package formats

import (
	"slices"
	"strings"
)

// frame holds what the words of a producer do not say. The engine reads the
// line; the frame renames its labels, sets units, or keeps it silent.
type frame struct {
	producer string
	all      []string            // every one of these must stand in the line
	match    func(s string) bool // and this must hold, unless nil
	any      []string            // and one of these, unless empty
	none     []string            // and none of these

	first  counter            // of the first size that nothing else names
	labels map[string]counter // by the last words of a label: lower case, single spaces
	after  map[string]counter // likewise, of words behind the figure

	bare      unit   // of a figure without a unit whose label is in labels
	header    unit   // of every figure without a unit
	divisor   uint16 // of GB and MB: 1024, 1000, or 0 when the producer does not settle it
	peaks     bool   // words that name current figures mean peaks here
	reset     resets
	signed    bool // a figure behind a '+' is no difference
	pairTotal bool // the second number of a pair is the capacity
	zeroNone  bool // zero means no measurement
	silent    bool // nothing here is memory of the allocator

	lastWords []string // of labels and after, filled in by complete

	// then completes the reading where figures have to be added up, or takes
	// what no label names. It runs last and may be nil.
	then func(p *Parser, d *draft)
}

// resets says from when on a producer's peaks count.
type resets uint8

const (
	resetUnknown resets = iota
	resetNever          // since start
	resetEach           // since the line before
)

// plain is the frame of lines without one.
var plain = &frame{}

// frames are all frames, tried in this order: the first that fits is taken.
var frames = concat(
	pytorchFrames, megatronFrames, deepspeedFrames, torchtitanFrames, huggingfaceFrames,
	visionFrames, rlFrames, pretrainFrames, speechFrames, toolFrames,
)

func concat(families ...[]frame) []frame {
	var all []frame
	for _, fs := range families {
		for _, f := range fs {
			all = append(all, f.complete())
		}
	}
	return all
}

// complete fills in what follows from the rest of the frame.
func (f frame) complete() frame {
	f.lastWords = lastWords(f.labels, f.after)
	return f
}

// catalogue is a set of frames with what finds them, and the failures and
// announcements too, in one pass over a line.
type catalogue struct {
	frames  []frame
	anchors *anchors
}

func newCatalogue(fs []frame) *catalogue {
	items := frameTexts(fs)
	for i := range failureSigns {
		items = append(items, item{texts: []string{failureSigns[i].text}})
	}
	for _, h := range headTexts {
		items = append(items, item{texts: []string{h}})
	}
	for i := range announcements {
		items = append(items, item{texts: announcements[i].texts, fold: true})
	}
	return &catalogue{frames: fs, anchors: newAnchors(items)}
}

// lastWords returns the last words of the keys of tables.
func lastWords(tables ...map[string]counter) []string {
	var words []string
	for _, table := range tables {
		for key := range table {
			if w := key[strings.LastIndexByte(key, ' ')+1:]; !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// endsLabel reports whether a word can be the last of a label of the frame.
func (f *frame) endsLabel(word string) bool {
	for _, w := range f.lastWords {
		if len(word) >= len(w) && equalFold(word[len(word)-len(w):], w) {
			return true
		}
	}
	return false
}

// endsWith reports whether a label of the frame ends with a word in lower case.
func (f *frame) endsWith(word []byte) bool {
	for _, w := range f.lastWords {
		if string(word) == w {
			return true
		}
	}
	return false
}

// allFrames is the catalogue of all frames.
var allFrames = newCatalogue(frames)

// survey is what fits a line.
type survey struct {
	frame *frame        // plain when none does
	signs itemSet       // of failureSigns
	heads itemSet       // of headTexts
	says  *announcement // nil when there is none
}

// ofFigures reports whether the line can have a figure, or be of a failure.
func (v *survey) ofFigures() bool { return v.frame != plain || v.signs.any() || v.heads.any() }

// survey finds what fits a line with these hints. Frames without a text are
// those of rows, whose only sign is hintDigitG.
func (c *catalogue) survey(s string, h hints) survey {
	v := survey{frame: plain}
	found := c.anchors.in(s)
	if h&hintDigitG != 0 {
		found.join(c.anchors.always)
	}
	for found.any() {
		i := found.next()
		if i < len(c.frames) {
			if v.frame == plain && h&hintsOfFigures != 0 && c.frames[i].fits(s) {
				v.frame = &c.frames[i]
			}
			continue
		}
		if i -= len(c.frames); i < len(failureSigns) {
			v.signs.add(i)
			continue
		}
		if i -= len(failureSigns); i < len(headTexts) {
			v.heads.add(i)
			continue
		}
		if i -= len(headTexts); v.says == nil {
			v.says = &announcements[i]
		}
	}
	return v
}

func (f *frame) fits(s string) bool {
	for _, w := range f.all {
		if !strings.Contains(s, w) {
			return false
		}
	}
	for _, w := range f.none {
		if strings.Contains(s, w) {
			return false
		}
	}
	if f.match != nil && !f.match(s) {
		return false
	}
	if len(f.any) == 0 {
		return true
	}
	for _, w := range f.any {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// lookup types a label by the frame: the longest tail of it that the frame
// knows, unless a word in front takes it away ("cpu max memory").
func (f *frame) lookup(p *Parser, l label) (counter, bool) {
	return f.lookupIn(f.labels, p, l)
}

// lookupAfter does so for the words behind a figure.
func (f *frame) lookupAfter(p *Parser, l label) (counter, bool) {
	return f.lookupIn(f.after, p, l)
}

func (f *frame) lookupIn(table map[string]counter, p *Parser, l label) (counter, bool) {
	words := p.wordsOf(l)
	if len(table) == 0 || len(words) == 0 || !f.endsWith(p.labels[words[len(words)-1].from:words[len(words)-1].to]) {
		return counterNone, false
	}
	for i := range words {
		if c, ok := table[string(p.textFrom(l, i))]; ok {
			return c, true
		}
		if words[i].bits.has(wordVeto) {
			break
		}
	}
	return counterNone, false
}
