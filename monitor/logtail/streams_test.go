package logtail_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

func TestTheOutputOfAJobIsReadBesideFilesWithItsNameAndPID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		b := newBench(t, logtail.Config{Streams: []logtail.Stream{{Name: "the job", PID: 812, Reader: r}}}, "beside.log")
		b.add("beside.log", "Allocated: 2.00 GB\n")
		b.read() // begins to read
		go func() { _, _ = io.WriteString(w, "Allocated: 1.00 GB\nReserved: 3.00") }()
		synctest.Wait()
		part := b.read()
		if len(part.Readings) != 1 || part.Readings[0].Source != "the job" || part.Readings[0].PID != 812 {
			t.Fatalf("got %+v", part.Readings)
		}
		if diff := cmp.Diff([]int64{1024}, allocated(part)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		_ = w.Close()
		synctest.Wait()
		time.Sleep(time.Second)
		b.read()
		states := map[string]monitor.State{}
		for _, f := range b.src.Files() {
			states[f.Path] = f.State
		}
		if states["the job"] != monitor.StateStale {
			t.Errorf("after its end the output is %v", states)
		}
	})
}
