package overview

import (
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/widget/spark"
)

// courses are the sparklines as last drawn. What lies before the newest column
// of one does not change any more, and a column takes several samples, so most
// frames need only the newest.
type courses struct {
	drawn   map[courseName]*course
	buckets []history.Bucket
}

type courseName struct {
	key     history.Key
	columns int
}

type course struct {
	to     time.Time
	width  time.Duration // of a column
	points []spark.Point
}

// maxCourses bounds those that are kept, also of processes that are gone.
const maxCourses = 256

// points returns n columns of a series up to that time. They hold until the
// next call.
func (c *courses) points(h *history.Store, key history.Key, to time.Time, width time.Duration, n int) []spark.Point {
	name := courseName{key, n}
	was := c.drawn[name]
	if was == nil {
		if c.drawn == nil || len(c.drawn) >= maxCourses {
			c.drawn = map[courseName]*course{}
		}
		was = &course{}
		c.drawn[name] = was
	}
	fresh := n
	if was.to.Equal(to) && was.width == width {
		fresh = 1
	}
	was.to, was.width = to, width
	was.points = slices.Grow(was.points[:0], n)[:n]
	c.buckets = slices.Grow(c.buckets[:0], fresh)[:fresh]
	h.FillColumns(c.buckets, key, to.Add(-width*time.Duration(fresh)), to)
	for i, b := range c.buckets {
		was.points[n-fresh+i] = spark.Point{Value: b.Max, Gap: b.Count == 0}
	}
	return was.points
}
