package torch

import (
	"bytes"
	"encoding/binary"
	"time"
)

// maxTries bounds the attempts to read one device while it changes, and
// triesAgain those after a sample without a good one: a lock held that long is
// held for something slow.
const (
	maxTries   = 16
	triesAgain = 5
)

// attachment reads the statistics of a process whose allocator was found.
type attachment struct {
	place
	mem      Memory
	exported bool
	devices  []device
	head     [32]byte
	spans    [2]Span
	tails    tailSet
	middle   *tail  // the byte arrays that fit when no tail does
	noMiddle bool   // none fits
	tail     *tail  // what is known beyond the core; never nil
	layout   string // its name, empty when it must be settled again
	grew     bool   // something was allocated between two samples
}

// device is one element of the vector.
type device struct {
	addr   uint64
	blocks [2][]byte

	figures  figures
	readAt   time.Time // when figures held; zero before the first good read
	previous int64     // reserved bytes of the good read before
	good     int       // good reads so far
	fresh    bool      // the last read was good
	stuck    bool      // every try of the last read found it changing
	failed   rule      // why the last read was not good
	used     bool      // was ever seen in use
	tooLarge bool      // reserves more than the GPU has

	usedBefore bool // was seen in use before the driver was asked last

	gpu gpuMatch
	plausibility
}

// result is what one sample of a process came to.
type result uint8

const (
	resultOK      result = iota
	resultMoved          // the allocator is not where it was: attach again
	resultBroken         // it is there and breaks the rules of its layout
	resultGone           // the process ended
	resultDenied         // reading is no longer permitted
	resultNothing        // no device could be read this time
)

func newAttachment(p *place, mem Memory) *attachment {
	a := &attachment{place: *p, mem: mem, exported: p.symbol != 0}
	a.tails = tailsFor(a.exported)
	a.tail = &coreOnly
	gap := int(p.statsAt - p.lockAt)
	for _, addr := range p.elements {
		d := device{addr: addr}
		for i := range d.blocks {
			d.blocks[i] = make([]byte, gap+maxTailBytes)
		}
		a.devices = append(a.devices, d)
	}
	return a
}

// sample reads every device once, trying again while one changes. pause waits
// the given time.
func (a *attachment) sample(now func() time.Time, pause func(time.Duration)) result {
	if r := a.checkPlace(); r != resultOK {
		return r
	}
	out := resultNothing
	for i := range a.devices {
		d := &a.devices[i]
		switch r := a.sampleDevice(d, now, pause); r {
		case resultOK:
			out = resultOK
		case resultNothing:
		default:
			return r
		}
	}
	if out == resultOK {
		a.learn()
	}
	return out
}

// checkPlace reads the pointer to the allocator and the three words of the
// vector again: after an exec, or when another allocator was put in place,
// they differ.
func (a *attachment) checkPlace() result {
	a.spans[0] = Span{Addr: a.at, Into: a.head[:24]}
	spans := a.spans[:1]
	if a.symbol != 0 {
		a.spans[1] = Span{Addr: a.symbol, Into: a.head[24:]}
		spans = a.spans[:2]
	}
	if err := a.mem.Read(spans); err != nil {
		return failure(err)
	}
	for i, w := range a.words {
		if binary.LittleEndian.Uint64(a.head[8*i:]) != w {
			return resultMoved
		}
	}
	if a.symbol != 0 && binary.LittleEndian.Uint64(a.head[24:]) != a.object {
		return resultMoved
	}
	return resultOK
}

func failure(err error) result {
	switch {
	case isGone(err):
		return resultGone
	case isDenied(err):
		return resultDenied
	}
	return resultMoved
}

// sampleDevice reads one device's lock and statistics twice in a row and
// accepts them only when both copies are equal and the lock is free in them.
//
// That rules out a torn copy: the writer holds the lock, which comes first in
// each copy, while it changes counters that only ever grow. A copy that has
// one counter from before and one from after such a change, and is equal to
// the next copy, would need the change to last from before the second copy's
// look at the lock to after its end; then that look sees the lock held.
func (a *attachment) sampleDevice(d *device, now func() time.Time, pause func(time.Duration)) result {
	tries := maxTries
	if d.stuck {
		tries = triesAgain
	}
	d.fresh, d.stuck = false, true
	at := d.addr + a.lockAt
	gap := int(a.statsAt - a.lockAt)
	for try := range tries {
		if try > 3 {
			pause(time.Duration(try) * 10 * time.Microsecond)
		}
		a.spans[0] = Span{Addr: at, Into: d.blocks[0]}
		a.spans[1] = Span{Addr: at, Into: d.blocks[1]}
		began := now()
		if err := a.mem.Read(a.spans[:2]); err != nil {
			if len(d.blocks[0]) > gap+coreBytes && failure(err) == resultMoved {
				// The heap ends before the longest tail does.
				d.blocks[0], d.blocks[1] = d.blocks[0][:gap+coreBytes], d.blocks[1][:gap+coreBytes]
				continue
			}
			return failure(err)
		}
		held := readLock(d.blocks[1])
		if !held.free() || !bytes.Equal(d.blocks[0], d.blocks[1]) {
			d.failed = ""
			continue
		}
		stats := d.blocks[1][gap:]
		if !held.plausible() {
			return resultBroken
		}
		if d.failed = checkCore(stats); d.failed != "" {
			return resultBroken
		}
		if now().Sub(began) > longRead && try < triesForTime {
			continue
		}
		a.accept(d, stats, began)
		return resultOK
	}
	return resultNothing
}

// A read takes microseconds. On a machine with too much to do this program can
// be set aside in the middle of one for longer than the job keeps a state, and
// then nobody knows when the figures held. It is taken again, a few times, and
// counts from its beginning, so that no figure is called newer than it is.
const (
	longRead     = time.Millisecond
	triesForTime = 3
)

// accept takes over statistics that obey the core rules.
func (a *attachment) accept(d *device, stats []byte, at time.Time) {
	f := readFigures(stats, &coreOnly)
	if d.good > 0 && f.everAllocated > d.figures.everAllocated {
		a.grew = true
	}
	d.previous = d.figures.reservedBytes
	d.figures = f
	d.readAt, d.fresh, d.stuck = at, true, false
	d.good++
	d.used = d.used || f.used()
}

// learn settles what is known beyond the core after the devices were read, and
// takes those figures out. A tail that one device contradicts is out for all
// of them and for good.
func (a *attachment) learn() {
	gap := int(a.statsAt - a.lockAt)
	left := a.tails
	for i := range a.devices {
		if d := &a.devices[i]; d.fresh {
			stats := d.blocks[1][gap:]
			left = left.matching(stats)
			if a.middle != nil && checkMiddle(stats, a.middle) != "" {
				a.middle, a.noMiddle, a.layout = nil, true, ""
			}
		}
	}
	if left == 0 && a.middle == nil && !a.noMiddle {
		a.findMiddle(gap)
	}
	if left != a.tails || a.layout == "" {
		a.tails = left
		a.settle()
	}
	for i := range a.devices {
		if d := &a.devices[i]; d.fresh {
			d.figures = readFigures(d.blocks[1][gap:], a.tail)
		}
	}
}

func (a *attachment) findMiddle(gap int) {
	for i := range a.devices {
		if d := &a.devices[i]; d.fresh && a.middle == nil {
			a.middle = middleOf(d.blocks[1][gap:], a.exported)
			a.layout = ""
		}
	}
}

func (a *attachment) settle() {
	switch t := a.tails.tail(); {
	case t != nil:
		a.tail, a.layout = t, a.tails.name()
	case a.tails == 0 && a.middle != nil:
		a.tail, a.layout = a.middle, a.middle.name
	default:
		a.tail, a.layout = &coreOnly, coreOnly.name
	}
}

// used tells whether any device was ever seen in use.
func (a *attachment) used() bool {
	for i := range a.devices {
		if a.devices[i].used {
			return true
		}
	}
	return false
}

// unconfirmed tells whether a device was read well just once.
func (a *attachment) unconfirmed() bool {
	for i := range a.devices {
		if a.devices[i].good == 1 {
			return true
		}
	}
	return false
}

// brokenRule returns the rule that the last sample broke, if it was one.
func (a *attachment) brokenRule() rule {
	for i := range a.devices {
		if a.devices[i].failed != "" {
			return a.devices[i].failed
		}
	}
	return ""
}
