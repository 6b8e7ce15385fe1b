package record

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// rowsOfSample is what encoding/json would be given to write a sample.
func rowsOfSample(w *Writer, s *monitor.Sample, sources *[]sourceRow) sampleRow {
	host := rowsOf(s.Processes, func(p *monitor.Process) hostRow { return hostRowOf(p) })
	return sampleRow{
		Type: typeSample, T: w.t(s.Time),
		GPUs:  rowsOf(s.GPUs, func(g *monitor.GPU) gpuRow { return w.known(gpuRowOf(lean, s.Time, g)) }),
		Procs: rowsOf(s.Holders, func(h *monitor.Holder) procRow { return procRowOf(lean, h) }),
		Torch: rowsOf(s.Torch, func(a *monitor.Allocator) torchRow { return torchRowOf(lean, s.Time, a) }),
		Host:  &host, Sources: sources,
	}
}

func TestASampleIsWrittenByHandAsEncodingJSONWritesIt(t *testing.T) {
	texts := []string{"", "python", "a\"b\\c", "\x00\x1b[31m\r\n\t", "<&>\u2028\u2029é", "\xff\xfe", "driver said\x7f"}
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		w := NewWriter(nil, Options{})
		s := random(rng, start)
		w.begin(&s)
		s = random(rng, start.Add(time.Duration(rng.Int64N(1e15)-5e14)))
		for i := range s.Holders {
			s.Holders[i].Name = texts[rng.IntN(len(texts))]
			s.Holders[i].UsedBytes = monitor.Unknown[int64](monitor.Code(rng.IntN(5)), texts[rng.IntN(len(texts))])
		}
		for i := range s.Processes {
			s.Processes[i].State = texts[rng.IntN(len(texts))]
		}
		var sources *[]sourceRow
		if rng.IntN(2) == 0 {
			sources = w.news(&s)
		}
		want, err := marshal(rowsOfSample(w, &s, sources))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want)+"\n", string(w.appendSample(nil, &s, sources))); diff != "" {
			t.Fatalf("seed %d (-encoding/json +by hand):\n%s", seed, diff)
		}
	}
}

func FuzzTextsAndNumbersAreWrittenAsEncodingJSONWritesThem(f *testing.F) {
	f.Add("a\"b", 1e-7)
	f.Add("\xffé\u2028", 1e21)
	f.Add("plain", math.Copysign(0, -1))
	f.Fuzz(func(t *testing.T, text string, v float64) {
		want, err := marshal(text)
		if got := appendText(nil, text); err != nil || string(got) != string(want) {
			t.Errorf("%q is written %s, want %s, %v", text, got, want, err)
		}
		number, err := json.Marshal(v)
		if err != nil {
			return
		}
		if got := string(appendFloat(nil, v)); got != string(number) {
			t.Errorf("%v is written %s, want %s", v, got, number)
		}
		if back, err := strconv.ParseFloat(string(appendFloat(nil, v)), 64); err != nil || back != v {
			t.Errorf("%v comes back as %v, %v", v, back, err)
		}
	})
}
