package torch

import "time"

// The driver's figure for the process and the allocator's are read at
// different moments, and a job can take or give back gigabytes in between. So
// what counts is the smaller of the reserved figures before and after the
// driver was asked, and a device whose figures once agreed is given several
// samples before it is called wrong.
const (
	slackBytes     = 2 * mebibyte
	maxDisagreeing = 5               // samples, and
	disagreeFor    = 5 * time.Second // since the driver may be asked less often
)

// plausibility is what comparing with the driver has come to for one device.
type plausibility struct {
	agreed      bool      // the two figures once fitted together
	disagreeing int       // samples in a row in which they did not
	since       time.Time // of the first of them
	lasting     bool      // that is longer ago than timing explains
	used        int64
}

// exceeds tells whether more is reserved than the driver gives the process.
func exceeds(reserved, previous, used int64) bool {
	return min(reserved, previous) > used+slackBytes
}

// compare takes in one sample: reserved bytes of this and of the good read
// before it, and the driver's figure, read between the two.
func (p *plausibility) compare(reserved, previous, used int64, at time.Time) {
	p.used = used
	if !exceeds(reserved, previous, used) {
		p.disagreeing, p.lasting = 0, false
		p.agreed = p.agreed || reserved > 0
		return
	}
	if p.disagreeing == 0 {
		p.since = at
	}
	p.disagreeing++
	p.lasting = at.Sub(p.since) >= disagreeFor
}

// refused tells whether the figures must not be shown.
func (p *plausibility) refused() bool {
	if p.agreed {
		return p.disagreeing >= maxDisagreeing && p.lasting
	}
	return p.disagreeing > 0
}

// crossCheck compares the devices of a process with the driver's figures and
// with the size of the GPUs.
func (r *Reader) crossCheck(t *target, at time.Time) {
	devices := t.attached.devices
	sum, previous, all := int64(0), int64(0), true
	for i := range devices {
		d := &devices[i]
		sum += d.figures.reservedBytes
		previous += d.previous
		if !d.fresh || d.good < 2 {
			all = false
			continue
		}
		d.tooLarge = d.figures.reservedBytes > r.totalFor(d)
		if !d.gpu.known {
			continue
		}
		used, ok := r.holders.used(t.pid, d.gpu.index)
		switch {
		case !ok:
		case !d.gpu.assumed:
			d.compare(d.figures.reservedBytes, d.previous, used, at)
		case exceeds(d.figures.reservedBytes, d.previous, used):
			// Sooner the assumption is wrong than the figures.
			d.gpu = gpuMatch{}
		}
	}
	if used, ok := r.holders.usedAnywhere(t.pid); ok && all {
		t.compare(sum, previous, used, at)
	}
}

// totalFor returns the memory of the device's GPU, or of the largest when it
// is not known which one it is.
func (r *Reader) totalFor(d *device) int64 {
	largest := int64(0)
	for i := range r.gpus {
		g := &r.gpus[i]
		if d.gpu.known && g.index == d.gpu.index && g.total > 0 {
			return g.total
		}
		if g.total == 0 {
			return maxFigure
		}
		largest = max(largest, g.total)
	}
	if largest == 0 {
		return maxFigure
	}
	return largest
}
