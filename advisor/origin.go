package advisor

import (
	"github.com/vramscope/vramscope/advisor/catalog"
)

// What Evidence.Source says.
const (
	ofLog     = "from the log"
	ofUnit    = "from the log, the unit assumed"
	ofAssumed = "assumed"
)

// tellOrigin says with each figure of a finding in bytes where it comes from,
// and is less sure where that is assumed.
func (d *draft) tellOrigin() {
	how, sure := "", true
	if l := d.ofLog(); l != nil {
		how = ofLog
		if l.assumed {
			how, sure = ofUnit, false
		}
	} else if d.text {
		how = ofLog
	}
	if d.processAssumed() {
		if how != "" {
			how += ", "
		}
		how, sure = how+ofAssumed, false
	}
	if !sure && d.Confidence > Possible {
		d.Confidence--
	}
	if how == "" {
		return
	}
	for i := range d.Evidence {
		switch e := &d.Evidence[i]; e.Unit {
		case Bytes, BytesPerSecond, BytesPerStep:
			e.Source = how
		default:
		}
	}
}

// ofLog returns the log that the figures of a finding are from; nil when they
// were read. What the driver says of a process is in no log.
func (d *draft) ofLog() *logTrack {
	switch {
	case d.job == nil || d.job.log == nil || d.text:
		return nil
	case d.logged:
		return d.job.log
	case d.job.attached() || !d.job.log.hasMemory() || d.ID == catalog.RankImbalance || d.ID == catalog.KVCacheGrowth:
		return nil
	}
	return d.job.log
}

// processAssumed reports whether which process it is, or what it holds on the
// device, follows from a rule that may be wrong.
func (d *draft) processAssumed() bool {
	if d.PID == nil {
		return false
	}
	for _, h := range d.s.holders[*d.PID] {
		if h.facts != nil && h.facts.Assumed && (d.GPUID == "" || h.gpu.id == d.GPUID) {
			return true
		}
	}
	return false
}
