package logtail_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

// someLog writes a log of many forms: single lines, tables, failures in one
// line and in several, bars, colours, broken bytes.
func someLog(r *rand.Rand) string {
	pieces := []func() string{
		func() string { return "nothing to see here\n" },
		func() string {
			return fmt.Sprintf("step: %d loss: 1.%d\nAllocated: %d.25 GB\nReserved: %d.50 GB\n", r.IntN(1e5), r.IntN(99), r.IntN(40), 40+r.IntN(40))
		},
		func() string {
			return fmt.Sprintf("\x1b[32m[rank%d]:\x1b[0m allocated %d.12 GiB, reserved %d.00 GiB\n", r.IntN(8), r.IntN(20), 20+r.IntN(20))
		},
		func() string {
			return fmt.Sprintf("|===|\n|      PyTorch CUDA memory summary, device ID %d     |\n| Allocated memory      |  %d MiB |  900 MiB |   9 GiB |   8 GiB |\n|       from large pool |  1 MiB |  2 MiB |  3 MiB |  4 MiB |\n| GPU reserved memory   |   999 MiB |   999 MiB |   1 GiB |   0 B   |\n|===|\n", r.IntN(8), r.IntN(900))
		},
		func() string {
			return fmt.Sprintf("| Allocated memory      |  %d MiB |  900 MiB |   9 GiB |   8 GiB |\nand no more of it\n", r.IntN(900))
		},
		func() string {
			return fmt.Sprintf("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %d.00 MiB. GPU 0 has a total capacity of 79.11 GiB of which 1.50 GiB\n is free. Of the allocated memory 60.25 GiB is allocated by PyTorch, and 5.50 GiB is reserved by PyTorch but unallocated.\n", 2+r.IntN(900))
		},
		func() string { return fmt.Sprintf("CUDA out of memory.\nepoch %d\n", r.IntN(9)) },
		func() string {
			return fmt.Sprintf("\r 1%%| 1/9 [00:01, 2.0it/s, alloc=%d.00GB]\r 2%%| 2/9 [00:02, 2.0it/s, alloc=3.00GB]\r\n", r.IntN(9))
		},
		func() string { return "\xff\xfe\x00 MA 1.25 GB  Max_MA 2.5 GB  CA 3.0 GB  Max_CA 3 GB \r\n" },
		func() string { return "step,gpu_mem_allocated_mb\n1,20.5\n2,30.5\n\n" },
		func() string { return strings.Repeat("long ", 200) + "\n" },
		func() string {
			return [...]string{"validation\n", "Epoch 3 training\n", "validation done\n", "=== Stage 2 ===\n", "Saving checkpoint:\n"}[r.IntN(5)]
		},
		func() string {
			return fmt.Sprintf("Validation: %d%%|| %d/9 [00:01, 2.0it/s]\nEvaluating:  9%%|| 1/9\nTrain Epoch: %d [10/90]\nEpoch(val)  [%d][10/20]  memory: 1123\n", r.IntN(99), r.IntN(9), r.IntN(9), r.IntN(9))
		},
		func() string {
			return fmt.Sprintf(`{"log":"step %d: allocated %d.25 GiB\\n","stream":"stderr","time":"2026-02-01T08:09:10.1Z"}`+"\n", r.IntN(999), r.IntN(40))
		},
		func() string {
			return "Traceback (most recent call last):\n  File \"/opt/train.py\", line 41, in <module>\nRuntimeError: CUDA error: out of memory\n"
		},
	}
	var b strings.Builder
	for range 20 + r.IntN(60) {
		b.WriteString(pieces[r.IntN(len(pieces))]())
	}
	return b.String()
}

// atRest reads a log that does not change any more.
func atRest(t *testing.T, text string) []monitor.LogReading {
	b := newBench(t, logtail.Config{FromStart: true}, "train.log")
	b.add("train.log", text)
	return settle(b, nil)
}

// settle reads until nothing comes any more, and once after the log has rested.
func settle(b *bench, got []monitor.LogReading) []monitor.LogReading {
	for {
		p := b.read()
		got = append(got, p.Readings...)
		if f := b.src.Files(); len(p.Readings) == 0 && f[0].BehindBytes == 0 {
			break
		}
	}
	return append(got, b.readAfter(time.Hour).Readings...)
}

// plain drops what may differ: when and where a line was read.
func plain(rs []monitor.LogReading, numbers bool) []monitor.LogReading {
	out := append([]monitor.LogReading(nil), rs...)
	for i := range out {
		out[i].Time, out[i].Source = time.Time{}, ""
		if !numbers {
			out[i].Line = 0
		}
	}
	return out
}

func TestALogFollowedLiveReadsLikeTheLogAtRest(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for round := range 60 {
		text := someLog(r)
		want := plain(atRest(t, text), true)
		if len(want) < 10 {
			t.Fatalf("only %d readings in %q", len(want), text)
		}
		b := newBench(t, logtail.Config{FromStart: true, BudgetBytes: int64(50 + r.IntN(5000))}, "train.log")
		var got []monitor.LogReading
		for rest := text; rest != ""; {
			n := 1 + r.IntN(min(len(rest), 1+r.IntN(3000)))
			b.add("train.log", rest[:n])
			rest = rest[n:]
			for range r.IntN(3) {
				got = append(got, b.readAfter(time.Duration(r.IntN(2000))*time.Millisecond).Readings...)
			}
		}
		got = plain(settle(b, got), true)
		compare(t, round, want, got)
	}
}

func TestALogRotatedWhileItIsFollowedReadsLikeTheLogAtRest(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for round := range 60 {
		text := someLog(r)
		want := plain(atRest(t, text), false)
		b := newBench(t, logtail.Config{FromStart: true}, "train.log")
		var got []monitor.LogReading
		lines := strings.SplitAfter(text, "\n")
		for i, rotations := 0, 0; i < len(lines); {
			n := min(1+r.IntN(20), len(lines)-i)
			b.add("train.log", strings.Join(lines[i:i+n], ""))
			i += n
			switch r.IntN(4) {
			case 0: // rename; the rest of the old file may not be read yet
				got = append(got, b.read().Readings...)
				b.rename("train.log", fmt.Sprintf("train.log.%d", rotations))
				rotations++
			case 1: // copy and truncate; what is not read is lost, so read
				got = append(got, b.read().Readings...)
				if err := os.Truncate(b.path("train.log"), 0); err != nil {
					t.Fatal(err)
				}
				got = append(got, b.read().Readings...)
			default:
				got = append(got, b.read().Readings...)
			}
		}
		compare(t, round, want, plain(settle(b, got), false))
	}
}

func compare(t *testing.T, round int, want, got []monitor.LogReading) {
	t.Helper()
	w, g := describe(want), describe(got)
	if d := cmp.Diff(w, g); d != "" {
		t.Fatalf("round %d (-at rest +live):\n%.3000s", round, d)
	}
}

// describe writes readings in full, failures' figures included.
func describe(rs []monitor.LogReading) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		oom := r.OOM
		r.OOM = nil
		out[i] = fmt.Sprintf("%+v", r)
		if oom != nil {
			out[i] += fmt.Sprintf(" oom %+v", *oom)
		}
	}
	return out
}

func TestCutsDoNotDependOnChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	cut := func(text string, chunk func() int) []string {
		s := logtail.NewSplitter()
		var out []string
		keep := func(n int64, text []byte) bool {
			out = append(out, fmt.Sprintf("%d:%s", n, text))
			return true
		}
		for text != "" {
			n := min(chunk(), len(text))
			s.Write([]byte(text[:n]), keep)
			text = text[n:]
		}
		s.End(keep)
		return out
	}
	for range 200 {
		text := someLog(r) + strings.Repeat("q", r.IntN(2*logtail.MaxLine)) + "\r\n\n\r" + "end"
		want := cut(text, func() int { return len(text) })
		if d := cmp.Diff(want, cut(text, func() int { return 1 + r.IntN(5000) })); d != "" {
			t.Fatal(d)
		}
	}
}

func TestTheLinesThatMatteredReadTheSameAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	read := func(lines []string) (readings, used []string) {
		p := newParser("", monitor.Reading[int]{})
		for _, l := range lines {
			readings = append(readings, describe(plain(p.Line(monitor.LogLine{Text: l}), false))...)
			if p.Used() {
				used = append(used, l)
			}
		}
		return append(readings, describe(plain(p.Flush(time.Time{}), false))...), used
	}
	for round := range 100 {
		want, used := read(strings.Split(someLog(r), "\n"))
		got, _ := read(used)
		slices.Sort(want) // a failure whose end did not come may be given a line later
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("round %d (-log +used lines):\n%.2000s", round, d)
		}
	}
}
