package chrome

import (
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// wideClaim is the room, in columns, from which on a claim keeps enough of its
// words when the process is named before it.
const wideClaim = 100

// Claim returns the sentence of a finding for a line of room columns. Where
// there are several devices it begins with the one that it is about, and with
// the process where there is room or where nothing else tells it from another
// line.
func Claim(st *screen.State, f *advisor.Tracked, room int) string {
	title := st.Theme.Outside(f.Sentence(st.HasEnded(f)))
	if f.GPU == nil || !severalDevices(st) {
		return title
	}
	device := "GPU " + strconv.Itoa(*f.GPU)
	if f.PID != nil && !names(title, *f.PID) {
		long := device + ", process " + strconv.Itoa(*f.PID) + ": " + title
		if line.Width(long) <= room || room >= wideClaim || hasTwin(st, f) {
			return long
		}
	}
	return device + ": " + title
}

// severalDevices tells whether "this card" could be more than one: of a log
// alone only the findings know.
func severalDevices(st *screen.State) bool {
	if len(st.Sample.GPUs) > 1 {
		return true
	}
	first := -1
	for i := range st.Findings {
		n := st.Findings[i].GPU
		switch {
		case n == nil:
		case first < 0:
			first = *n
		case first != *n:
			return true
		}
	}
	return false
}

// names tells whether a sentence has the number of a process in it.
func names(sentence string, pid int) bool {
	return strings.Contains(strings.ToLower(sentence)+" ", "process "+strconv.Itoa(pid)+" ")
}

// hasTwin tells whether another process of the same device has the same cause.
func hasTwin(st *screen.State, f *advisor.Tracked) bool {
	for i := range st.Findings {
		o := &st.Findings[i]
		if o.ID == f.ID && o.GPUID == f.GPUID && o.Key() != f.Key() {
			return true
		}
	}
	return false
}
