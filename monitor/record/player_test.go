package record

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func recording(seconds ...float64) *Recording {
	rec := &Recording{}
	for i, s := range seconds {
		rec.Samples = append(rec.Samples, monitor.Sample{Seq: uint64(i + 1), Time: start.Add(time.Duration(s * float64(time.Second)))})
	}
	return rec
}

// next returns the numbers of the samples of the next batch and how long it
// took, in fake time.
func next(t *testing.T, p *Player) (numbers []uint64, reset bool, took time.Duration) {
	t.Helper()
	began := time.Now()
	b, err := p.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range b.Samples {
		numbers = append(numbers, s.Seq)
	}
	return numbers, b.Reset, time.Since(began)
}

func expect(t *testing.T, p *Player, numbers []uint64, reset bool, took time.Duration) {
	t.Helper()
	gotNumbers, gotReset, gotTook := next(t, p)
	if len(gotNumbers) != len(numbers) || gotReset != reset || gotTook != took {
		t.Fatalf("samples %v, reset %v after %v; want %v, %v after %v", gotNumbers, gotReset, gotTook, numbers, reset, took)
	}
	for i := range numbers {
		if numbers[i] != gotNumbers[i] {
			t.Fatalf("samples %v, want %v", gotNumbers, numbers)
		}
	}
}

func TestAReplayKeepsTheTimeOfTheRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(recording(0, 1, 1.5, 10, 11), PlayerOptions{EndAtEOF: true})
		expect(t, p, []uint64{1}, false, 0)
		expect(t, p, []uint64{2}, false, time.Second)
		expect(t, p, []uint64{3}, false, 500*time.Millisecond)
		expect(t, p, []uint64{4}, false, 5*time.Second) // a long wait is cut
		p.SetSpeed(4)
		expect(t, p, []uint64{5}, false, 250*time.Millisecond)
		if _, err := p.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestAFastReplayHandsOverSeveralAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []float64
		for i := range 1000 {
			times = append(times, float64(i))
		}
		p := NewPlayer(recording(times...), PlayerOptions{Speed: 1000, EndAtEOF: true})
		began, batches, samples := time.Now(), 0, 0
		for {
			b, err := p.Next(t.Context())
			if err != nil {
				break
			}
			batches++
			samples += len(b.Samples)
		}
		if took := time.Since(began); samples != 1000 || batches > 60 || took < 990*time.Millisecond || took > 1100*time.Millisecond {
			t.Errorf("%d samples in %d batches in %v", samples, batches, took)
		}
	})
}

func TestAPausedReplayMovesByStepsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(recording(0, 1, 2, 3, 4), PlayerOptions{Paused: true})
		expect(t, p, []uint64{1}, false, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := p.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a paused replay moved: %v", err)
		}
		p.Step(2)
		expect(t, p, []uint64{2, 3}, false, 0)
		p.Step(-1)
		expect(t, p, []uint64{1, 2}, true, 0)
		p.Step(-100)
		expect(t, p, []uint64{1}, true, 0)
		p.Step(100)
		expect(t, p, []uint64{2, 3, 4, 5}, false, 0)
		if n, at := p.Position(); n != 5 || !at.Equal(start.Add(4*time.Second)) || p.Len() != 5 {
			t.Errorf("position %d at %v of %d", n, at, p.Len())
		}
	})
}

func TestSeekingBackForgetsAndForwardFillsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(recording(0, 1, 2, 3, 4), PlayerOptions{})
		expect(t, p, []uint64{1}, false, 0)
		p.Seek(start.Add(3500 * time.Millisecond))
		expect(t, p, []uint64{2, 3, 4}, false, 0)
		p.Seek(start.Add(time.Second))
		expect(t, p, []uint64{1, 2}, true, 0)
		expect(t, p, []uint64{3}, false, time.Second) // it goes on from there
		p.Seek(start.Add(-time.Hour))
		expect(t, p, []uint64{1}, true, 0)
	})
}

func TestAtTheEndTheScreenStaysAndOneMayStepBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(recording(0, 1), PlayerOptions{})
		expect(t, p, []uint64{1}, false, 0)
		expect(t, p, []uint64{2}, false, time.Second)
		go func() {
			time.Sleep(time.Minute)
			p.Step(-1)
		}()
		expect(t, p, []uint64{1}, true, time.Minute)
		go func() {
			time.Sleep(500 * time.Millisecond)
			_ = p.Close()
		}()
		if _, err := p.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("closing gives %v", err)
		}
	})
}

func TestAnEmptyRecordingEndsOrWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, err := NewPlayer(recording(), PlayerOptions{EndAtEOF: true}).Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("error %v", err)
		}
		p := NewPlayer(recording(), PlayerOptions{})
		p.Step(3)
		p.Seek(start)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := p.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

func TestALongWayThroughARecordingIsHandedOverInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const samples = 2*maxBatch + 10
		at := make([]float64, samples)
		for i := range at {
			at[i] = float64(i)
		}
		p := NewPlayer(recording(at...), PlayerOptions{Paused: true})
		defer p.Close() //nolint:errcheck // cannot fail
		_, end := p.Span()
		collect := func() (sizes []int, resets int) {
			for last := uint64(0); ; {
				b, err := p.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if b.Reset {
					last = 0
					resets++
				}
				for _, s := range b.Samples {
					if last != 0 && s.Seq != last+1 {
						t.Fatalf("sample %d after %d", s.Seq, last)
					}
					last = s.Seq
				}
				if sizes = append(sizes, len(b.Samples)); !b.More {
					return sizes, resets
				}
			}
		}
		if sizes, _ := collect(); !slices.Equal(sizes, []int{1}) {
			t.Fatalf("at the start %v", sizes)
		}
		p.Seek(end)
		if sizes, resets := collect(); !slices.Equal(sizes, []int{maxBatch, maxBatch, 9}) || resets != 0 {
			t.Errorf("to the end in %v, %d resets", sizes, resets)
		}
		p.Step(-5)
		if sizes, resets := collect(); !slices.Equal(sizes, []int{maxBatch, maxBatch, 5}) || resets != 1 {
			t.Errorf("a little back in %v, %d resets", sizes, resets)
		}
		p.Seek(end)
		p.Step(-samples) // before anything of it came
		if sizes, resets := collect(); !slices.Equal(sizes, []int{1}) || resets != 1 {
			t.Errorf("back to the start in %v, %d resets", sizes, resets)
		}
	})
}
