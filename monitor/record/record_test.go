package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)

// random is a sample in which everything that can be known or unknown is so by
// chance.
func random(rng *rand.Rand, at time.Time) monitor.Sample {
	n := func() monitor.Reading[int64] {
		if rng.IntN(4) == 0 {
			return monitor.Unknown[int64](monitor.NotSupported, "not here")
		}
		return monitor.Known(rng.Int64N(1 << 40))
	}
	f := func() monitor.Reading[float64] {
		return monitor.Map(n(), func(v int64) float64 { return float64(v%1000) / 11 })
	}
	i := func() monitor.Reading[int] { return monitor.Map(n(), func(v int64) int { return int(v % 16) }) }
	b := func() monitor.Reading[bool] { return monitor.Map(n(), func(v int64) bool { return v%2 == 0 }) }
	w := func() monitor.Reading[string] {
		return monitor.Map(n(), func(v int64) string { return fmt.Sprintf("w<%d>\u2028\x1b[31m", v%9) })
	}
	s := monitor.Sample{Time: at, Host: "node", Driver: "580.1"}
	for k := range rng.IntN(4) {
		s.GPUs = append(s.GPUs, monitor.GPU{Index: k, UUID: w(), Name: w(), ReadAt: at.Add(-time.Duration(rng.IntN(3)) * 1700 * time.Microsecond),
			State: monitor.State(rng.IntN(4)), Reason: []string{"", "slow"}[rng.IntN(2)],
			Memory:      monitor.DeviceMemory{TotalBytes: n(), UsedBytes: n(), FreeBytes: n(), DriverReservedBytes: n(), Source: monitor.MemoryV2},
			UtilPercent: f(), MemUtilPercent: f(), TemperatureC: f(), PowerW: f(), PowerLimitW: f(), SMClockMHz: f(), MemClockMHz: f(),
			Throttle: monitor.Map(n(), func(v int64) []string { return []string{"cap", "heat"}[:v%3] }),
			ECC:      monitor.ECC{Enabled: b(), CorrectedCount: n(), UncorrectedCount: n(), PendingRowRemap: b(), RowRemapFailure: b(), RetiredPagesCount: n()}, UnseenBytes: n(),
			MIG: b(), Activity: monitor.Activity{SMPercent: f(), TensorPercent: f(), FP32Percent: f(), DRAMPercent: f()}})
	}
	for k := range rng.IntN(4) {
		s.Holders = append(s.Holders, monitor.Holder{PID: 100 + k, GPU: rng.IntN(4), UsedBytes: n(), Kinds: monitor.HolderKind(rng.IntN(8)),
			Name: "python", InNamespace: rng.IntN(5) > 0, Instance: i(), Assumed: rng.IntN(2) == 0})
		s.Processes = append(s.Processes, monitor.Process{PID: 100 + k, ParentPID: rng.IntN(2), StartTicks: uint64(50 + k), Started: at.Add(-time.Hour),
			User: "ann", Name: "python", Command: "python train.py --token=hunter2", State: "R", Threads: rng.IntN(9), CPUPercent: f(), HostBytes: n(),
			Container: monitor.Container{Runtime: "docker", ID: "abc", Pod: "p", LimitBytes: n()}, Rank: i(), LocalRank: i(), World: i(),
			VisibleDevices: w(), DeviceOrder: w(), AllocConf: w(), NoCaching: b(), TorchVersion: w()})
		s.Torch = append(s.Torch, monitor.Allocator{PID: 100 + k, StartTicks: uint64(50 + k), GPU: i(), Ordinal: i(), GPUAssumed: rng.IntN(2) == 0,
			Origin: monitor.OriginAttach, State: monitor.AllocatorState(rng.IntN(16)), Reason: []string{"", "no right"}[rng.IntN(2)],
			ReadAt: at.Add(-time.Duration(rng.IntN(5)) * time.Second), Layout: "2.6", AllocatedBytes: n(), ReservedBytes: above(n()),
			PeakAllocatedBytes: n(), PeakReservedBytes: n(), ActiveBytes: n(), InactiveSplitBytes: n(), RequestedBytes: n(), PrivatePoolBytes: n(),
			AllocationCount: n(), SegmentCount: n(), ActiveCount: n(), InactiveSplitCount: n(), AllocRetryCount: n(), OOMCount: n()})
	}
	for k := range rng.IntN(3) {
		s.Lines = append(s.Lines, monitor.LogLine{Time: at, Source: "out", PID: 100, Number: int64(k + 1), Text: "step\x00 \u00e9 <b>"})
	}
	if rng.IntN(3) == 0 {
		s.Marks = []monitor.Mark{{Time: at, Text: "here"}}
	}
	s.Sources = []monitor.SourceStatus{{Name: "nvml", State: monitor.State(rng.IntN(2)), Reason: "r", GoodAt: at}}
	return s
}

// above makes reserved larger than any part of it.
func above(r monitor.Reading[int64]) monitor.Reading[int64] {
	return monitor.Map(r, func(v int64) int64 { return v + 1<<41 })
}

func write(t testing.TB, opts Options, samples []monitor.Sample) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, opts)
	for _, s := range samples {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func load(t testing.TB, data []byte) *Recording {
	t.Helper()
	rec, err := Load(bytes.NewReader(data), "test.jsonl", nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestWhatIsReadIsWrittenTheSameAgain(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var samples []monitor.Sample
		at := start
		for range 12 {
			samples = append(samples, random(rng, at))
			at = at.Add(time.Duration(1 + rng.Int64N(5e9)))
		}
		opts := Options{Interval: time.Second, Gzip: seed%2 == 0}
		first := load(t, write(t, opts, samples))
		again := load(t, write(t, opts, first.Samples))
		if diff := cmp.Diff(string(write(t, Options{}, first.Samples)), string(write(t, Options{}, again.Samples))); diff != "" {
			t.Fatalf("seed %d: the second writing differs: %s", seed, diff)
		}
		plain := string(write(t, Options{}, samples))
		if diff := cmp.Diff(plain, string(write(t, Options{}, first.Samples))); diff != "" {
			t.Fatalf("seed %d: writing, reading and writing changes: %s", seed, diff)
		}
	}
}

func TestFiguresSurviveAndTheUnknownStaysUnknown(t *testing.T) {
	s := monitor.Sample{Time: start, Driver: "580",
		GPUs: []monitor.GPU{{Index: 3, UUID: monitor.Known("GPU-x"), State: monitor.StateStale, Reason: "no answer for 12 s", ReadAt: start.Add(-12 * time.Second),
			Memory: monitor.DeviceMemory{TotalBytes: monitor.Known[int64](80 << 30), UsedBytes: monitor.Unknown[int64](monitor.Failed, "x")}, UtilPercent: monitor.Known(0.0)}},
		Torch: []monitor.Allocator{{PID: 5, StartTicks: 7, GPU: monitor.Known(3), Origin: monitor.OriginLog, State: monitor.AllocatorDenied, Reason: "ptrace",
			ReservedBytes: monitor.Known[int64](1)}}}
	rec := load(t, write(t, Options{Interval: 100 * time.Millisecond}, []monitor.Sample{s}))
	got := rec.Samples[0]
	g := got.GPUs[0]
	if total, _ := g.Memory.TotalBytes.Get(); total != 80<<30 || g.Memory.UsedBytes.Known() || !g.UtilPercent.Known() || g.PowerW.Known() {
		t.Errorf("figures changed: %+v", g)
	}
	if g.State != monitor.StateStale || g.Reason != "no answer for 12 s" || !g.ReadAt.Equal(start.Add(-12*time.Second)) {
		t.Errorf("state changed: %v %q %v", g.State, g.Reason, g.ReadAt)
	}
	a := got.Torch[0]
	if a.State != monitor.AllocatorDenied || a.Reason != "ptrace" || a.ReservedBytes.Known() || a.ReservedBytes.Why().Detail != "ptrace" {
		t.Errorf("allocator changed: %+v", a)
	}
	if rec.Interval != 100*time.Millisecond || rec.Driver != "580" || !rec.Started.Equal(start) || !got.Time.Equal(start) {
		t.Errorf("header changed: %+v", rec)
	}
}

func TestSecretsAreScrubbedWhereverTextComesFromTheJob(t *testing.T) {
	s := random(rand.New(rand.NewPCG(1, 1)), start)
	s.Processes = []monitor.Process{{PID: 1, Command: "run --token=hunter2", AllocConf: monitor.Known("hunter2"), VisibleDevices: monitor.Known("hunter2")}}
	s.Lines = []monitor.LogLine{{Time: start, Text: "login hunter2"}}
	scrub := func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	if out := write(t, Options{Scrub: scrub}, []monitor.Sample{s}); bytes.Contains(out, []byte("hunter2")) {
		t.Errorf("a secret was recorded: %s", out)
	}
	var once bytes.Buffer
	if err := EncodeOnce(&once, s, scrub); err != nil || strings.Contains(once.String(), "hunter2") {
		t.Errorf("a secret was printed: %v", err)
	}
}

func TestAProcessIsWrittenOnceAndAgainWhenItChanges(t *testing.T) {
	p := monitor.Process{PID: 9, StartTicks: 1, Name: "a", State: "R"}
	sample := func(i int) monitor.Sample {
		p.State = string("RS"[i%2])
		p.Threads = i
		return monitor.Sample{Time: start.Add(time.Duration(i) * time.Second), Processes: []monitor.Process{p}}
	}
	samples := []monitor.Sample{sample(0), sample(1), sample(2)}
	p.User = "bob"
	samples = append(samples, sample(3), sample(4))
	out := write(t, Options{}, samples)
	if n := bytes.Count(out, []byte(`"type":"proc"`)); n != 2 {
		t.Errorf("%d proc rows, want 2:\n%s", n, out)
	}
	rec := load(t, out)
	if u := rec.Samples[2].Processes[0].User; u != "" {
		t.Errorf("the user %q is known too early", u)
	}
	if p := rec.Samples[4].Processes[0]; p.User != "bob" || p.State != "R" || p.Threads != 4 || p.StartTicks != 1 {
		t.Errorf("facts changed: %+v", p)
	}
}

// echo reads each line as its number and has one more thing to say at the end.
type echo struct{}

func (echo) Line(l monitor.LogLine) []monitor.LogReading {
	return []monitor.LogReading{{Time: l.Time, Line: l.Number}}
}

func (echo) Flush(end time.Time) []monitor.LogReading {
	return []monitor.LogReading{{Time: end, Line: 99}}
}

func TestLogLinesAreParsedAgainAndNoneIsLost(t *testing.T) {
	parse := echo{}
	row := func(t, n int) string { return fmt.Sprintf(`{"type":"log","t":%d,"text":"x","line":%d}`, t, n) + "\n" }
	rec, err := Load(strings.NewReader(head+row(0, 1)+row(1, 2)+`{"type":"sample","t":2}`+"\n"+row(3, 3)), "f", parse)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Samples) != 1 || len(rec.Samples[0].Readings) != 4 || rec.Samples[0].Readings[3].Line != 99 || len(rec.Lines) != 3 || !rec.Lines[2].Time.Equal(rec.Started.Add(3*time.Second)) {
		t.Errorf("%+v", rec)
	}
	rec, err = Load(strings.NewReader(head+row(0, 1)+row(5, 2)), "f", parse)
	if err != nil || len(rec.Samples) != 1 || len(rec.Samples[0].Readings) != 3 || !rec.Samples[0].Time.Equal(rec.Started.Add(5*time.Second)) {
		t.Errorf("a recording of log lines alone: %+v, %v", rec, err)
	}
}

func TestCreateAppendsRefusesOrReplaces(t *testing.T) {
	for _, file := range []string{"a.jsonl", "a.jsonl.gz"} {
		name := filepath.Join(t.TempDir(), file)
		add := func(e Exists, at time.Time) error {
			w, err := Create(name, Options{Exists: e})
			if err != nil {
				return err
			}
			if err := w.Write(monitor.Sample{Time: at}); err != nil {
				t.Fatal(err)
			}
			return w.Close()
		}
		if err := add(RefuseExisting, start); err != nil {
			t.Fatal(err)
		}
		if err := add(RefuseExisting, start); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: an existing file was not refused: %v", file, err)
		}
		if err := add(AppendToExisting, start.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(name)
		if rec := load(t, data); len(rec.Samples) != 2 || !rec.Samples[1].Time.Equal(start.Add(time.Hour)) {
			t.Errorf("%s: %d samples after appending", file, len(rec.Samples))
		}
		if gz := bytes.HasPrefix(data, []byte{0x1f, 0x8b}); gz != strings.HasSuffix(file, ".gz") {
			t.Errorf("%s: compressed is %v", file, gz)
		}
		if err := add(ReplaceExisting, start); err != nil {
			t.Fatal(err)
		}
		data, _ = os.ReadFile(name)
		if rec := load(t, data); len(rec.Samples) != 1 {
			t.Errorf("%s: %d samples after replacing", file, len(rec.Samples))
		}
	}
}

func TestTheRecordingsOfRealRunsLoad(t *testing.T) {
	shared := os.Getenv("VRAMSCOPE_SHARED")
	if shared == "" {
		t.Skip("VRAMSCOPE_SHARED is not set: the recordings of real runs are not here")
	}
	files, _ := filepath.Glob(filepath.Join(shared, "recordings", "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("no recordings found")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := Load(bytes.NewReader(data), file, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		count := func(kind string) int { return bytes.Count(data, []byte(`"type":"`+kind+`"}`)) }
		if rec.SampleCount != count("sample") || rec.LineCount != count("log") || len(rec.Samples) != count("sample") || len(rec.Lines) != count("log") {
			t.Errorf("%s: %d samples of %d, %d lines of %d", file, rec.SampleCount, count("sample"), rec.LineCount, count("log"))
		}
		if len(rec.Notes) > 0 || rec.IgnoredCount > 0 || rec.Interval == 0 {
			t.Errorf("%s: notes %v, %d ignored, interval %v", file, rec.Notes, rec.IgnoredCount, rec.Interval)
		}
		again := load(t, write(t, Options{}, rec.Samples))
		if diff := cmp.Diff(string(write(t, Options{}, rec.Samples)), string(write(t, Options{}, again.Samples))); diff != "" {
			t.Errorf("%s: written again it differs: %.300s", file, diff)
		}
		sameFigures(t, file, data, rec)
	}
}

// sameFigures compares a few figures with the file's own text.
func sameFigures(t *testing.T, file string, data []byte, rec *Recording) {
	t.Helper()
	i := 0
	for line := range bytes.Lines(data) {
		var row struct {
			Type  string
			T     float64
			GPUs  []struct{ Used, Free int64 }
			Torch []struct{ Allocated, Reserved, OOMs int64 }
		}
		if err := json.Unmarshal(line, &row); err != nil || row.Type != "sample" {
			continue
		}
		s := rec.Samples[i]
		i++
		for k, g := range row.GPUs {
			if used, ok := s.GPUs[k].Memory.UsedBytes.Get(); !ok || used != g.Used {
				t.Fatalf("%s: sample %d: used %d, want %d", file, i, used, g.Used)
			}
		}
		for k, a := range row.Torch {
			if s.Torch[k].AllocatedBytes.Or(-1) != a.Allocated || s.Torch[k].ReservedBytes.Or(-1) != a.Reserved || s.Torch[k].OOMCount.Or(-1) != a.OOMs {
				t.Fatalf("%s: sample %d: torch %+v, want %+v", file, i, s.Torch[k], a)
			}
		}
	}
}
