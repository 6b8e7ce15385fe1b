package logtail_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

func line(mib int) string { return fmt.Sprintf("Allocated: %d MiB\n", mib) }

func wantAllocated(t *testing.T, p monitor.Part, want ...int64) {
	t.Helper()
	if d := cmp.Diff(want, allocated(p)); d != "" {
		t.Fatalf("allocated (-want +got):\n%s%v", d, p.Status)
	}
}

func TestAFileIsReadFromWhereTheLastReadEnded(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	if p := b.read(); p.Status.State != monitor.StateUnavailable || !strings.Contains(p.Status.Reason, "waiting for") {
		t.Fatalf("a log that does not exist is %+v", p.Status)
	}
	b.add("train.log", line(1)+"Allocated: ")
	wantAllocated(t, b.read(), 1)
	b.add("train.log", "2 MiB\n")
	p := b.read()
	wantAllocated(t, p, 2)
	if p.Lines[0].Number != 2 || p.Lines[0].Source != b.path("train.log") || !p.Lines[0].Time.Equal(b.now) {
		t.Fatalf("line is %+v", p.Lines[0])
	}
	wantAllocated(t, b.read())
}

func TestATruncatedFileIsReadFromItsStart(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", line(1)+line(2)+"an unfinished Allocated: 9")
	wantAllocated(t, b.read(), 1, 2)
	if err := os.Truncate(b.path("train.log"), 0); err != nil {
		t.Fatal(err)
	}
	b.add("train.log", line(3))
	wantAllocated(t, b.read(), 3)
}

func TestAFileThatWasCutAndHasGrownBeyondIsReadFromItsStart(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", line(1)+line(2))
	wantAllocated(t, b.read(), 1, 2)
	if err := os.Truncate(b.path("train.log"), 0); err != nil {
		t.Fatal(err)
	}
	b.add("train.log", line(31)+line(32)+line(33))
	wantAllocated(t, b.read(), 31, 32, 33)
}

func TestARotatedFileIsReadToItsEndAndThenTheNewOne(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", line(1))
	wantAllocated(t, b.read(), 1)
	b.rename("train.log", "train.log.1")
	b.add("train.log.1", line(2)) // the job still writes to the old one
	wantAllocated(t, b.read(), 2)
	b.add("train.log.1", line(3))
	b.add("train.log", line(4))
	wantAllocated(t, b.read(), 3, 4)
	b.add("train.log", line(5))
	wantAllocated(t, b.read(), 5)
}

func TestAFileThatWasDeletedAndMadeAgainIsReadWhole(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", line(1))
	wantAllocated(t, b.read(), 1)
	if err := os.Remove(b.path("train.log")); err != nil {
		t.Fatal(err)
	}
	wantAllocated(t, b.read())
	b.add("train.log", line(2))
	wantAllocated(t, b.read(), 2)
}

func TestAFileReplacedByAnotherIsReadWhole(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", line(1))
	wantAllocated(t, b.read(), 1)
	b.add("other", line(7)+line(8))
	b.rename("other", "train.log")
	wantAllocated(t, b.read(), 7, 8)
}

func TestALargeLogIsEnteredNearItsEnd(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	f, err := os.Create(b.path("train.log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(20 << 30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	recent := strings.Repeat("x", 100) + "\n"
	tail := "\n" + line(1) + strings.Repeat(recent, logtail.RecentBytes/len(recent)-100) + line(2)
	if _, err := f.WriteAt([]byte(tail), 20<<30); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p := b.read()
	wantAllocated(t, p, 1, 2)
	if p.Lines[0].Number != 0 {
		t.Errorf("the number of a line in the middle is %d, want 0 for not known", p.Lines[0].Number)
	}
	b.add("train.log", line(3))
	wantAllocated(t, b.read(), 3)
}

func TestTheFirstLineOfTheRecentPastIsAWholeOne(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	old := strings.Repeat("Allocated: 7 MiB and more of the same line ", logtail.RecentBytes/40)
	b.add("train.log", old+"\n"+line(1))
	wantAllocated(t, b.read(), 1)
}

func TestALongLineIsCutWithANote(t *testing.T) {
	b := newBench(t, logtail.Config{FromStart: true}, "train.log")
	long := "Allocated: 5 MiB " + strings.Repeat("y", 3*logtail.MaxLine)
	for range 4 {
		b.add("train.log", long[:len(long)/2])
		b.read()
		b.add("train.log", long[len(long)/2:])
		b.read()
	}
	b.add("train.log", "\n"+line(6))
	p := b.read()
	wantAllocated(t, p, 5, 6)
	if got := p.Lines[0].Text; len(got) > logtail.MaxLine+100 || !strings.HasSuffix(got, logtail.CutNote) {
		t.Fatalf("a line of %d bytes ends with %q", len(got), got[len(got)-40:])
	}
}

func TestAProgressBarIsReadWhileItMoves(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", "\r 1%| | 1/100 [00:01<01:39, alloc=1.00MiB]\r 2%| | 2/100 [00:02<01:38, alloc=2.00MiB]")
	wantAllocated(t, b.read(), 1)
	b.add("train.log", "\r 3%| | 3/100 [00:03<01:37, alloc=3.00MiB]\r\n")
	wantAllocated(t, b.read(), 2, 3)
}

func TestADirectoryIsFollowedWithTheRanksOfItsPlaces(t *testing.T) {
	b := newBench(t, logtail.Config{}, ".")
	b.add("none_ab12/attempt_0/0/stdout.log", line(1))
	b.add("none_ab12/attempt_0/3/stdout.log", line(2))
	b.add("none_ab12/attempt_0/3/error.json", line(9))
	got := map[int]int64{}
	for _, r := range b.read().Readings {
		got[r.Rank.Or(-1)] = r.AllocatedBytes.Or(-1) >> 20
	}
	if d := cmp.Diff(map[int]int64{0: 1, 3: 2}, got); d != "" {
		t.Fatal(d)
	}
	b.add("none_ab12/attempt_1/0/stdout.log", line(3))
	wantAllocated(t, b.readAfter(5*time.Second), 3)
}

func TestAGlobFollowsFilesThatAppearLater(t *testing.T) {
	b := newBench(t, logtail.Config{}, "slurm-*.out")
	if p := b.read(); p.Status.State != monitor.StateUnavailable || !strings.Contains(p.Status.Reason, "no file matches") {
		t.Fatalf("got %+v", p.Status)
	}
	b.add("slurm-4711.out", line(1))
	b.add("slurm-4712.out", line(2))
	b.add("train.log", line(9))
	if got := len(b.readAfter(5 * time.Second).Readings); got != 2 {
		t.Fatalf("%d readings, want 2", got)
	}
}

func TestSeveralLogsAreReadTogether(t *testing.T) {
	b := newBench(t, logtail.Config{}, "a.log", "b.log")
	b.add("a.log", line(1))
	p := b.read()
	wantAllocated(t, p, 1)
	if p.Status.State != monitor.StatePartial {
		t.Fatalf("one of two is missing, and the state is %v", p.Status.State)
	}
	b.add("b.log", line(2))
	p = b.read()
	wantAllocated(t, p, 2)
	if p.Status.State != monitor.StateOK {
		t.Fatalf("got %+v", p.Status)
	}
}

func TestStandardInputIsReadToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		src := logtail.New(logtail.Config{Stdin: r, Paths: []string{"-"}, NewParser: newParser})
		read := func() []monitor.LogReading {
			synctest.Wait() // until the pipe is drained
			return src.Read(t.Context(), monitor.Request{Time: time.Now()}).Readings
		}
		read()
		if _, err := io.WriteString(w, line(1)+"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"); err != nil {
			t.Fatal(err)
		}
		got := read()
		if len(got) != 1 || got[0].AllocatedBytes.Or(0) != 1<<20 || got[0].Source != "stdin" {
			t.Fatalf("got %+v", got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got = read(); len(got) != 1 || got[0].Kind != monitor.LogOOM {
			t.Fatalf("got %+v", got)
		}
		if got = read(); len(got) != 0 {
			t.Fatalf("after the end there is %+v", got)
		}
	})
}

func TestAJobThatFloodsStandardInputIsNeverHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		src := logtail.New(logtail.Config{Stdin: r, Paths: []string{"-"}, NewParser: newParser})
		src.Read(t.Context(), monitor.Request{Time: time.Now()})
		flood := strings.Repeat(strings.Repeat("z", 99)+"\n", 100_000)
		if _, err := io.WriteString(w, flood+line(4)); err != nil { // nobody reads meanwhile
			t.Fatal(err)
		}
		synctest.Wait()
		part := src.Read(t.Context(), monitor.Request{Time: time.Now()})
		wantAllocated(t, part, 4)
		if f := src.Files()[0]; f.SkippedBytes == 0 {
			t.Fatalf("nothing was dropped: %+v", f)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	})
}

func TestAReadStopsAtItsBudgetAndGoesOnWithTheNext(t *testing.T) {
	b := newBench(t, logtail.Config{BudgetBytes: 64, FromStart: true}, "train.log")
	var text strings.Builder
	var want, got []int64
	for i := range 40 {
		text.WriteString(line(i))
		want = append(want, int64(i))
	}
	b.add("train.log", text.String())
	for range 40 {
		got = append(got, allocated(b.read())...)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

func TestWhatIsOpenEndsWhenTheLogRests(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
	if p := b.read(); len(p.Readings) > 0 {
		t.Fatalf("the text may go on, but there is %+v", p.Readings)
	}
	p := b.readAfter(time.Minute)
	if len(p.Readings) != 1 || p.Readings[0].Kind != monitor.LogOOM {
		t.Fatalf("got %+v", p.Readings)
	}
}

func TestADirectoryInPlaceOfALogIsRefused(t *testing.T) {
	b := newBench(t, logtail.Config{}, "pipe")
	if err := os.Symlink("/dev/null", b.path("pipe")); err != nil {
		t.Fatal(err)
	}
	if p := b.read(); p.Status.State != monitor.StateUnavailable || !strings.Contains(p.Status.Reason, "not a regular file") {
		t.Fatalf("got %+v", p.Status)
	}
}

func TestAFloodOfStepsIsThinnedAndItsMemoryLinesStay(t *testing.T) {
	b := newBench(t, logtail.Config{FromStart: true}, "train.log")
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "step: %d loss: 2.5\n", i)
		if i%1000 == 0 {
			text.WriteString(line(i))
		}
	}
	b.add("train.log", text.String())
	var all []monitor.LogReading
	for range 10 {
		all = append(all, b.read().Readings...)
	}
	memory := 0
	for _, r := range all {
		if r.Kind == monitor.LogMemory {
			memory++
		}
	}
	last := all[len(all)-1]
	if memory != 5 || len(all) > 3000 || last.Step.Or(0) != 4999 {
		t.Fatalf("%d readings, %d of memory, the last at step %v", len(all), memory, last.Step)
	}
}

func TestTheStateOfEveryLogCanBeAsked(t *testing.T) {
	b := newBench(t, logtail.Config{}, "a.log", "b.log")
	b.add("a.log", line(1))
	b.read()
	files := b.src.Files()
	if len(files) != 2 || filepath.Base(files[0].Path) != "a.log" || files[0].State != monitor.StateOK || files[1].State != monitor.StateUnavailable {
		t.Fatalf("got %+v", files)
	}
}

func TestOldLogsOfADirectoryMakeRoomForNewOnes(t *testing.T) {
	b := newBench(t, logtail.Config{}, ".")
	for i := range 64 {
		b.add(fmt.Sprintf("old_%02d.log", i), line(1))
	}
	if n := len(b.read().Readings); n != 64 {
		t.Fatalf("%d readings", n)
	}
	past := time.Unix(1_600_000_000, 0)
	for i := range 64 {
		if err := os.Chtimes(b.path(fmt.Sprintf("old_%02d.log", i)), past, past); err != nil {
			t.Fatal(err)
		}
	}
	b.add("new.log", line(2))
	b.readAfter(5 * time.Second)
	wantAllocated(t, b.readAfter(5*time.Second), 2)
}

func TestLinesThatOnlyNameAPhaseAreHandedOver(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", "chatter\nvalidation\nchatter\nval loss 0.31\nvalidation done\n2025-03-01 11:22:33,123 - INFO - Epoch 2 training\n")
	var got []string
	for _, l := range b.read().Lines {
		got = append(got, l.Text)
	}
	if d := cmp.Diff([]string{"validation", "validation done", "2025-03-01 11:22:33,123 - INFO - Epoch 2 training"}, got); d != "" {
		t.Errorf("lines handed over (-want +got):\n%s", d)
	}
}
