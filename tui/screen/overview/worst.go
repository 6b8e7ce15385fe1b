package overview

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// awaited says which log is waited for; empty when worst says it, or when none
// is.
func (d *drawing) awaited() string {
	for _, s := range d.st.Sample.Sources {
		if s.Name != logSource || s.State == monitor.StateOK || s.Reason == "" {
			continue
		}
		if sentence := d.th.Outside(s.Name + ": " + s.Reason); sentence != d.worst() {
			return sentence
		}
	}
	return ""
}

// logSource is the name of the source that follows logs.
const logSource = "log"

// worst returns the sentence about the most important thing that is not as it
// should be; empty when all is well.
func (d *drawing) worst() string {
	if d.st.Fault != "" {
		return d.st.Fault
	}
	for i := range d.cards {
		c := &d.cards[i]
		if c.gpu != nil && c.gpu.State != monitor.StateOK && c.gpu.Reason != "" {
			return about(c.label, d.th.Outside(c.gpu.Reason))
		}
	}
	for i := range d.cards {
		if d.cards[i].why != "" {
			return about(d.cards[i].label, d.cards[i].why)
		}
	}
	for _, s := range d.st.Sample.Sources {
		if s.State != monitor.StateOK && s.Reason != "" {
			return d.th.Outside(s.Name + ": " + s.Reason)
		}
	}
	return ""
}

// about puts what a sentence is about before it, unless it begins with that.
func about(label, sentence string) string {
	if strings.HasPrefix(sentence, label+" ") {
		return sentence
	}
	return label + ": " + sentence
}
