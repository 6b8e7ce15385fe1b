package advisor

import (
	"math"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// Input is everything that is judged. Any part of it may be missing.
type Input struct {
	// Window is the stretch of history to judge: a whole recording, or the last
	// minutes of a live one.
	Window history.Window
	// Lines are lines of the job's output as they came, for the texts of known
	// errors and for phases. They need not be complete, nor be those that the
	// readings of the window were made from.
	Lines []monitor.LogLine
	// Readings are log readings that belong to no sample: a log at rest, a
	// pasted error. Those of the window come on top.
	Readings []monitor.LogReading
	// Total is the size of the card in bytes for a log alone, when somebody
	// knows it; 0 otherwise.
	Total int64
	// Over says that the window's end is not now, as of a recording: what was
	// about to happen then is told in the past tense.
	Over bool
}

// scene is an input sorted into devices, processes and jobs, with the figures
// as tracks on one time axis.
type scene struct {
	in     *Input
	w      *history.Window
	origin time.Time
	end    float64 // seconds of the window's end
	every  float64 // seconds between samples, 0 when not known
	many   bool    // so many processes that series are pooled
	axis   *axis   // nil when part of the window is kept in buckets only
	rest   bool    // a log at rest: the axis counts its lines, there are no times
	gpus   []*gpu
	byID   map[string]*gpu
	// holders are the processes by their number, a row for each device.
	holders map[int][]*holder
	jobs    []*job // with memory figures of their own, from the allocator or a log
	logs    []*logTrack
	ooms    []oom
	failed  map[*job]failure
	text    hints
	all     []monitor.LogReading // oldest first
}

func newScene(in *Input) *scene {
	s := &scene{in: in, w: &in.Window}
	s.origin = in.Window.From
	if s.origin.IsZero() && len(in.Readings) > 0 {
		s.origin = in.Readings[0].Time
	}
	s.end = in.Window.To.Sub(s.origin).Seconds()
	s.every = in.Window.Interval.Seconds()
	s.all = allReadings(in)
	s.rest = atRest(s.all, len(in.Window.Times))
	s.many = len(in.Window.Processes)*len(in.Window.Times) > manySeries
	s.axis = s.axisOf()
	s.byID, s.holders = map[string]*gpu{}, map[int][]*holder{}
	s.addGPUs()
	s.addHolders()
	s.countDevices()
	s.addLogs()
	s.text = scanLines(s, in.Lines)
	s.addOOMs()
	return s
}

func (s *scene) gpu(id string) *gpu { return s.byID[id] }

func rankOf(h *holder) *int {
	if r, ok := h.process().Rank.Get(); ok {
		return &r
	}
	return nil
}

// seconds puts a time on the axis of the scene.
func (s *scene) seconds(t time.Time) float64 { return t.Sub(s.origin).Seconds() }

// place puts a line of a log on the axis: by its time, or by its number where a
// log at rest has no times.
func (s *scene) place(t time.Time, line int64) float64 {
	if s.rest {
		return float64(line)
	}
	return s.seconds(t)
}

// time turns a place on the axis back into a time.
func (s *scene) time(sec float64) time.Time {
	if math.IsNaN(sec) || math.IsInf(sec, 0) || s.origin.IsZero() || s.rest {
		return time.Time{}
	}
	return s.origin.Add(time.Duration(sec * float64(time.Second)))
}

// jobOf returns the first job with that number on any device.
func (s *scene) jobOf(pid int) *job {
	for _, h := range s.holders[pid] {
		if h.job != nil {
			return h.job
		}
	}
	return nil
}
