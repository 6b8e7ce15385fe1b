package logtail_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

// looks returns the seconds in which a source that is read once a second looks
// at the open files of the processes that pids gives for that second.
func looks(t *testing.T, seconds int, pids func(second int) []int) []int {
	t.Helper()
	start := time.Unix(1_700_000_000, 0)
	var at []int
	now := 0
	s := logtail.New(logtail.Config{Discover: func(*monitor.Sample) []logtail.Candidate {
		at = append(at, now)
		return nil
	}})
	for now = range seconds {
		var seen monitor.Sample
		for _, pid := range pids(now) {
			seen.Holders = append(seen.Holders, monitor.Holder{PID: pid, InNamespace: true})
		}
		s.Read(context.Background(), monitor.Request{Time: start.Add(time.Duration(now) * time.Second), Seen: &seen})
	}
	return at
}

func TestTheOpenFilesOfTheSameProcessesAreLookedAtLessAndLessOften(t *testing.T) {
	got := looks(t, 60, func(int) []int { return []int{7, 3} })
	if diff := cmp.Diff([]int{0, 2, 5, 10, 17, 27, 37, 47, 57}, got); diff != "" {
		t.Errorf("looked in other seconds (-want +got):\n%s", diff)
	}
}

func TestTheOpenFilesOfANewProcessAreLookedAtWithinTwoSeconds(t *testing.T) {
	got := looks(t, 40, func(second int) []int {
		if second >= 28 {
			return []int{3, 7, 9}
		}
		return []int{7, 3}
	})
	if diff := cmp.Diff([]int{0, 2, 5, 10, 17, 27, 29, 31, 34, 39}, got); diff != "" {
		t.Errorf("looked in other seconds (-want +got):\n%s", diff)
	}
}

func TestANewFileInANamedFolderIsFoundWithinTwoSecondsWhileProcessesStayTheSame(t *testing.T) {
	b := newBench(t, logtail.Config{}, ".")
	seen := &monitor.Sample{Holders: []monitor.Holder{{PID: 7, InNamespace: true}}}
	read := func() monitor.Part {
		b.now = b.now.Add(time.Second)
		return b.src.Read(context.Background(), monitor.Request{Time: b.now, Seen: seen})
	}
	for range 30 {
		read()
	}
	b.add("rank1.log", "Allocated: 2.00 GB\n")
	for second := 1; ; second++ {
		if read(); len(b.src.Files()) > 0 {
			break
		}
		if second == 2 {
			t.Fatal("it is not followed yet after two seconds")
		}
	}
}
