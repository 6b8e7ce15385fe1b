package formats

import "strings"

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
	for _, f := range families {
		all = append(all, f...)
	}
	return all
}

// catalogue is a set of frames with what finds them, and the failures too, in
// one pass over a line.
type catalogue struct {
	frames  []frame
	anchors *anchors
}

func newCatalogue(fs []frame) *catalogue {
	items := frameTexts(fs)
	for i := range failureSigns {
		items = append(items, []string{failureSigns[i].text})
	}
	for _, h := range headTexts {
		items = append(items, []string{h})
	}
	return &catalogue{frames: fs, anchors: newAnchors(items)}
}

// allFrames is the catalogue of all frames.
var allFrames = newCatalogue(frames)

// survey is what can fit a line.
type survey struct {
	frames, signs, heads itemSet
}

func (c *catalogue) survey(s string) survey {
	var v survey
	v.frames, v.signs = c.anchors.candidates(s).split(len(c.frames))
	v.signs, v.heads = v.signs.split(len(failureSigns))
	return v
}

// frameOf returns the frame of a line among those of its survey, or plain.
func (c *catalogue) frameOf(s string, set itemSet) *frame {
	for set.any() {
		if f := &c.frames[set.next()]; f.fits(s) {
			return f
		}
	}
	return plain
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
	return lookup(p, l, f.labels)
}

// lookupAfter does so for the words behind a figure.
func (f *frame) lookupAfter(p *Parser, l label) (counter, bool) {
	return lookup(p, l, f.after)
}

func lookup(p *Parser, l label, table map[string]counter) (counter, bool) {
	if len(table) == 0 {
		return counterNone, false
	}
	words := p.wordsOf(l)
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
