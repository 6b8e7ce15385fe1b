package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// bothWays reads a row by hand and through encoding/json, and says whether the
// first took it.
func bothWays(t *testing.T, line []byte) (byHand bool) {
	t.Helper()
	hand, reference := &loader{rec: &Recording{}, facts: map[int]monitor.Process{}}, &loader{rec: &Recording{}, facts: map[int]monitor.Process{}}
	row, byHand := hand.quick.sample(line)
	if !byHand {
		return false
	}
	if err := hand.assemble(row); err != nil {
		t.Fatal(err)
	}
	if err := reference.sample(line); err != nil {
		t.Fatalf("encoding/json refuses %q: %v", line, err)
	}
	if diff := cmp.Diff(fmt.Sprintf("%#v", reference.last), fmt.Sprintf("%#v", hand.last)); diff != "" {
		t.Fatalf("%q is read otherwise by hand (-encoding/json +hand):\n%s", line, diff)
	}
	return true
}

func TestSamplesAreReadByHandAsEncodingJSONReadsThem(t *testing.T) {
	rng, byHand, all := rand.New(rand.NewPCG(7, 7)), 0, 0
	for range 500 {
		s := random(rng, start)
		s.Sources = nil
		for _, line := range bytes.Split(write(t, Options{}, []monitor.Sample{s}), []byte("\n")) {
			if !bytes.HasPrefix(line, []byte(`{"type":"sample"`)) {
				continue
			}
			all++
			if bothWays(t, bytes.ReplaceAll(line, []byte(`\u2028\u001b`), nil)) {
				byHand++
			}
		}
	}
	if byHand != all {
		t.Errorf("%d of %d rows were read by hand", byHand, all)
	}
}

func TestEveryRowOfTheWriterIsReadByHandUnlessSourcesChange(t *testing.T) {
	s := busy(8)
	lines := write(t, Options{}, []monitor.Sample{s, at(s, time.Second), at(s, 2*time.Second)})
	var q quick
	for _, line := range bytes.Split(lines, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte(`{"type":"sample"`)) || bytes.Contains(line, []byte(`"sources"`)) {
			continue
		}
		if _, ok := q.sample(line); !ok {
			t.Errorf("not read by hand: %.300s", line)
		}
	}
}

func at(s monitor.Sample, after time.Duration) monitor.Sample {
	s.Time = s.Time.Add(after)
	return s
}

func TestWhatIsNotASimpleSampleIsLeftToEncodingJSON(t *testing.T) {
	for _, line := range []string{
		``, `{`, `{}`, `[]`, `{"type":"sample"`, `{"type":"sample",}`, `{"type":"sample"}}`, `{"type":"sample"} x`, `{"type":"log","t":1}`, `{"t":1}`,
		`{"type":"sample","t":01}`, `{"type":"sample","t":1.}`, `{"type":"sample","t":-}`, `{"type":"sample","t":+1}`, `{"type":"sample","t":1e3}`,
		`{"type":"sample","t":null}`, `{"type":"sample","later":1}`, `{"type":"sample","T":1}`, `{"type":"sample","gpus":[],"gpus":[]}`, `{"type":"sample","gpus":null}`,
		`{"type":"sample","gpus":[{}{}]}`, `{"type":"sample","gpus":[{},]}`, `{"type":"sample","gpus":[,{}]}`, `{"type":"sample","gpus":[5]}`,
		`{"type":"sample","gpus":[{"index":null}]}`, `{"type":"sample","gpus":[{"index":1.0}]}`, `{"type":"sample","gpus":[{"index":"1"}]}`,
		`{"type":"sample","gpus":[{"used":[1]}]}`, `{"type":"sample","gpus":[{"used":{}}]}`, `{"type":"sample","gpus":[{"used":nul}]}`, `{"type":"sample","gpus":[{"used":1 2}]}`,
		`{"type":"sample","gpus":[{"name":"\u0041"}]}`, "{\"type\":\"sample\",\"gpus\":[{\"name\":\"\xff\"}]}", "{\"type\":\"sample\",\"gpus\":[{\"name\":\"\t\"}]}",
		`{"type":"sample","gpus":[{"name":"a]}`, `{"type":"sample","gpus":[{"throttle":["a",]}]}`, `{"type":"sample","procs":[{"kinds":[]}]}`,
		`{"type":"sample","procs":[{"assumed":null}]}`, `{"type":"sample","procs":[{"assumed":"true"}]}`, "{\"type\":\"sample\",\"t\":1}\x00",
	} {
		var q quick
		if _, ok := q.sample([]byte(line)); ok {
			t.Errorf("%q was read by hand", line)
		}
	}
}

func TestSimpleSamplesInAnyOrderAndSpacingAreReadByHand(t *testing.T) {
	for _, line := range []string{
		`{"type":"sample","t":-0.5}`, ` { "t" : 1 , "type" : "sample" } `, `{"torch": [], "gpus": [{"index": 0, "used": -1, "free": 12345678901234567890, "util": 99.5}], "type": "sample", "t": 0.1}`,
		`{"type":"sample","gpus":[{"index":0,"name":"ü","used":null,"mig":true,"throttle":["a","b"],"util":"7","ecc_enabled":5}],"host":[]}`,
		`{"type":"sample","t":3,"procs":[{"pid":7,"gpu":0,"used":5,"kinds":["compute","mps"],"other_namespace":false}],"torch":[{"pid":7,"used":1}]}`,
	} {
		if !bothWays(t, []byte(line)) && !strings.Contains(line, `"torch":[{"pid":7,"used"`) {
			t.Errorf("%q was not read by hand", line)
		}
	}
}

func TestTheRoomOfARowIsUsedAgainWithoutItsFigures(t *testing.T) {
	var q quick
	for _, line := range []string{
		`{"type":"sample","t":1,"gpus":[{"index":0,"used":5,"name":"a"}],"procs":[{"pid":1,"kinds":["mps"],"assumed":true}],"host":[{"pid":1,"cpu":5}]}`,
		`{"type":"sample","t":2,"gpus":[{"index":1}],"procs":[{"pid":2}]}`,
	} {
		if _, ok := q.sample([]byte(line)); !ok {
			t.Fatal(line)
		}
	}
	r := q.row
	if r.GPUs[0].Used.is != absent || r.GPUs[0].Name.value != "" || r.Procs[0].Assumed || r.Procs[0].Kinds != nil || r.Host != nil {
		t.Errorf("%+v", r)
	}
}

func TestRealRecordingsAreReadByHandAsEncodingJSONReadsThem(t *testing.T) {
	shared := os.Getenv("VRAMSCOPE_SHARED")
	if shared == "" {
		t.Skip("VRAMSCOPE_SHARED names no folder with recordings")
	}
	names, err := filepath.Glob(filepath.Join(shared, "recordings", "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d recordings, %v", len(names), err)
	}
	byHand, all := 0, 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range bytes.Split(data, []byte("\n")) {
			if bytes.Contains(line, []byte(`"type":"sample"`)) {
				all++
				if bothWays(t, line) {
					byHand++
				}
			}
		}
	}
	if byHand*10 < all*9 {
		t.Errorf("%d of %d samples were read by hand", byHand, all)
	}
}

// FuzzQuick holds that what is read by hand is valid, and means what
// encoding/json says.
func FuzzQuick(f *testing.F) {
	f.Add([]byte(`{"type":"sample","t":0.25,"gpus":[{"index":0,"used":1,"util":3.75,"throttle":["a"],"name":"x"}],"procs":[{"pid":1,"gpu":0,"kinds":["compute"]}]}`))
	f.Add([]byte(`{"type":"sample","t":0,"torch":[{"pid":1,"gpu":0,"source":"attach","allocated":1,"state":"busy"}],"host":[{"pid":1,"cpu":0.1}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) > 1<<16 {
			return
		}
		if bothWays(t, line) && !json.Valid(line) {
			t.Errorf("%q is not JSON", line)
		}
	})
}

// BenchmarkLoad reads samples of one job on one device, as most recordings are.
func BenchmarkLoad(b *testing.B) {
	const samples = 1000
	s := busy(1)
	s.GPUs, s.Holders, s.Processes = s.GPUs[:1], s.Holders[:1], s.Processes[:1]
	var file bytes.Buffer
	w := NewWriter(&file, Options{})
	for range samples {
		s.Time = s.Time.Add(time.Second)
		if err := w.Write(s); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Stream(bytes.NewReader(file.Bytes()), "b", nil, func(monitor.Sample) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(samples*b.N)/b.Elapsed().Seconds(), "samples/s")
}

func TestShortNumbersAreReadAsStrconvReadsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 20_000 {
		text := strconv.FormatFloat(rng.Float64()*1000, 'f', rng.IntN(14), 64)
		got, err := parseFloat([]byte(text))
		if want, _ := strconv.ParseFloat(text, 64); err != nil || got != want {
			t.Fatalf("%s is read as %v, want %v (%v)", text, got, want, err)
		}
	}
}
