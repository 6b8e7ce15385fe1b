package overview

import (
	"slices"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
)

// card is what is drawn of one GPU, or of a log that belongs to none.
type card struct {
	gpu    *monitor.GPU // nil for a log
	series string       // the device's name in the history
	// process names the series of a log card; log are its readings when the job
	// is not a process of this machine.
	process monitor.ProcessKey
	log     []monitor.LogReading
	label   string // GPU 0, log
	name    string
	layers  monitor.Layers
	scale   int64 // bytes at the right edge of the bars, 0 when not known

	torchFrom string // attach, log, assumed, with the age when it is old
	usedFrom  string
	unread    int    // PyTorch processes here without figures
	why       string // the reason of the first of them
	problem   string // short: stale since, unread
	role      theme.Role
}

// cardsOf returns a card a GPU, in order, and one for the figures of a log that
// belong to no GPU here, in the memory of others.
func cardsOf(cards []card, st *screen.State) []card {
	s := st.Sample
	cards = slices.Grow(cards[:0], len(s.GPUs)+1)
	for i := range s.GPUs {
		cards = append(cards, gpuCard(st, &s.GPUs[i]))
	}
	if c, ok := logCard(st); ok {
		cards = append(cards, c)
	}
	return cards
}

func gpuCard(st *screen.State, g *monitor.GPU) card {
	c := card{
		gpu:    g,
		series: g.ID(),
		label:  "GPU " + itoa(g.Index),
		name:   strings.TrimPrefix(st.Theme.Outside(g.Name.Or("")), "NVIDIA "),
		layers: monitor.LayersOf(st.Sample, g.Index),
		scale:  g.Memory.TotalBytes.Or(0),
	}
	if st.Early { // whose the memory is was not asked yet
		c.layers.Others = monitor.Unknown[int64](monitor.NotRead, "")
	}
	c.usedFrom = chrome.MemoryOrigin(st, g.Memory.Source)
	c.torchFrom = torchSource(st, func(a *monitor.Allocator) bool {
		on, known := a.GPU.Get()
		return known && on == g.Index
	})
	c.unread, c.why = unreadOn(st.Sample, g.Index)
	c.why = st.Theme.Outside(c.why)
	switch {
	case g.State == monitor.StateStale:
		c.problem, c.role = "stale since "+g.ReadAt.Format("15:04:05"), theme.Warn
	case g.State == monitor.StateUnavailable:
		c.problem, c.role = missing(g), theme.Bad
		if !g.ReadAt.IsZero() {
			c.problem += " since " + g.ReadAt.Format("15:04:05")
		}
	case c.unread > 0:
		c.problem, c.role = chrome.Plural(c.unread, "job", "jobs")+" unread", theme.Warn
	}
	return c
}

// missing says in a word or two why a device has no figures: only one that the
// driver says is gone is lost.
func missing(g *monitor.GPU) string {
	switch g.Memory.UsedBytes.Why().Code {
	case monitor.Gone:
		return "lost"
	case monitor.TimedOut:
		return "no answer"
	default:
		return "not readable"
	}
}

// torchSource returns the weakest origin of the rows, and the age of the oldest
// when it is more than two intervals.
func torchSource(st *screen.State, belongs func(*monitor.Allocator) bool) string {
	var oldest time.Time
	word := ""
	for i := range st.Sample.Torch {
		a := &st.Sample.Torch[i]
		if a.State != monitor.AllocatorOK || !belongs(a) {
			continue
		}
		if !a.ReadAt.IsZero() && (oldest.IsZero() || a.ReadAt.Before(oldest)) {
			oldest = a.ReadAt
		}
		word = weaker(word, a)
	}
	if word == "" || oldest.IsZero() || st.Interval <= 0 {
		return word
	}
	if age := st.Now.Sub(oldest); age > 2*st.Interval {
		return word + " " + chrome.Age(age)
	}
	return word
}

// weaker returns the less certain of a word so far and the origin of a row.
func weaker(word string, a *monitor.Allocator) string {
	next := string(a.Origin)
	if a.GPUAssumed {
		next = string(monitor.OriginAssumed)
	}
	rank := func(w string) int {
		switch w {
		case string(monitor.OriginAssumed):
			return 3
		case string(monitor.OriginLog):
			return 2
		case string(monitor.OriginAttach):
			return 1
		}
		return 0
	}
	if rank(next) > rank(word) {
		return next
	}
	return word
}

// unreadOn counts the PyTorch processes on a device whose figures are missing,
// so that the sums are lower bounds, and returns the reason of the first. A row
// without an ordinal belongs to the devices on which its process holds memory.
func unreadOn(s *monitor.Sample, gpu int) (n int, why string) {
	for i := range s.Torch {
		a := &s.Torch[i]
		switch a.State {
		case monitor.AllocatorOK, monitor.AllocatorInherited, monitor.AllocatorNoCUDA:
			continue
		default:
		}
		on, known := a.GPU.Get()
		if !known {
			if _, holds := s.Holder(a.PID, gpu); !holds {
				continue
			}
		} else if on != gpu {
			continue
		}
		n++
		if why == "" {
			why = reasonOf(a)
		}
	}
	return n, why
}

// reasonOf returns why a row has no figures.
func reasonOf(a *monitor.Allocator) string {
	if a.Reason != "" {
		return a.Reason
	}
	return "the allocator of PID " + itoa(a.PID) + " could not be read: " + a.State.String()
}
