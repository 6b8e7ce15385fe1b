package record

import (
	"bytes"
	"compress/gzip"
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

const head = `{"type":"header","format":1,"started":"2026-11-30T12:00:00Z","driver":"580","interval_ms":100,"gpus":[{"index":0,"uuid":"GPU-a","name":"H","total":100}]}` + "\n"

func TestATornLastLineIsDroppedWithANote(t *testing.T) {
	whole := head + `{"type":"sample","t":0,"gpus":[]}` + "\n" + `{"type":"sample","t":1,"gpus":[]}` + "\n"
	for cut := len(head) + 40; cut < len(whole)-2; cut++ {
		rec := load(t, []byte(whole[:cut]))
		if len(rec.Samples) != 1 || !rec.Torn || len(rec.Notes) != 1 {
			t.Fatalf("cut at %d: %d samples, torn %v, notes %v", cut, len(rec.Samples), rec.Torn, rec.Notes)
		}
	}
	if rec := load(t, []byte(whole[:len(whole)-1])); len(rec.Samples) != 2 || len(rec.Notes) != 0 {
		t.Errorf("a whole last line without its end was lost: %v", rec.Notes)
	}
}

func TestATornGzipFileGivesWhatCameBefore(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Options{Gzip: true})
	for i := range 50 {
		if err := w.Write(monitor.Sample{Time: start.Add(time.Duration(i) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	rec := load(t, out.Bytes()) // never closed: no trailer
	if len(rec.Samples) != 50 || !rec.Torn {
		t.Errorf("%d of 50 samples, torn %v", len(rec.Samples), rec.Torn)
	}
}

func TestAForeignFileIsRefusedWithNameLineAndReason(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte("hello\n"))
	_ = z.Close()
	cases := []struct {
		name, data, says string
		is               error
	}{
		{"empty", "", "it is empty", ErrNotRecording},
		{"text", "Traceback (most recent call last):\n", "line 1: not a vramscope recording: it is not JSON", ErrNotRecording},
		{"binary", "\x7fELF\x00\x00\x01\n", "binary data", ErrNotRecording},
		{"other JSON", `{"a":1}` + "\n", `type "", not "header"`, ErrNotRecording},
		{"array", "[1,2]\n", "its header", ErrNotRecording},
		{"zipped text", zipped.String(), "not JSON", ErrNotRecording},
		{"false gzip", "\x1f\x8b\x00\x00", "gzip", ErrNotRecording},
		{"later format", `{"type":"header","format":7,"started":"2026-11-30T12:00:00Z"}` + "\n", "format 7", ErrTooNew},
		{"no time", `{"type":"header","format":1,"started":"yesterday"}` + "\n", `"yesterday"`, nil},
		{"damage in the middle", head + "{\"type\":\n" + `{"type":"sample","t":1}` + "\n", "line 3: the line before it is damaged", nil},
		{"damage at the end", head + "{\"type\":\n", "line 2: it is not JSON", nil},
		{"wrong rows", head + `{"type":"sample","t":0,"gpus":5}` + "\n", "line 2: sample", nil},
		{"wrong time", head + `{"type":"sample","t":"x"}` + "\n", "line 2: sample", nil},
		{"far time", head + `{"type":"sample","t":1e300}` + "\n", "century", nil},
		{"list for a row", head + "[]\n", "line 2: not a row", nil},
		{"long line", head + `{"type":"x","a":"` + strings.Repeat("a", 9<<20) + "\"}\n", "line 2: the line is longer than 8 MiB", nil},
		{"many rows", head + `{"type":"sample","t":0,"procs":[` + strings.Repeat("{},", 30000) + "{}]}\n", "objects in one line", nil},
	}
	for _, c := range cases {
		_, err := Load(strings.NewReader(c.data), "some.file", nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "some.file: ") {
			t.Errorf("%s: error %q, want one with %q", c.name, err, c.says)
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: error %q is not %q", c.name, err, c.is)
		}
		if len(fmt.Sprint(err)) > 300 {
			t.Errorf("%s: the error repeats the file: %d characters", c.name, len(fmt.Sprint(err)))
		}
	}
}

func TestARecordingIsToldByItsBeginning(t *testing.T) {
	out := write(t, Options{Gzip: true}, []monitor.Sample{{Time: start}})
	for data, want := range map[string]bool{head: true, head[:60]: true, string(out): true, string(out[:len(out)-9]): true,
		"step 1 loss 2\n": false, "": false, "{}\n": false, "\x1f\x8b": true, "\xef\xbb\xbf" + head: true,
		`{"type": "header", "format": 0}`: true, `{"type":"sample","t":0}` + "\n": true, `{"step": 1, "memory": 3}`: false} {
		if got := IsRecording([]byte(data)); got != want {
			t.Errorf("%.40q: %v, want %v", data, got, want)
		}
	}
}

func TestARecordingThatAnEditorSavedIsReadTheSame(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	plain := head + `{"type":"sample","t":0,"gpus":[{"index":0,"used":5}],"procs":[],"torch":[]}` + "\n" + `{"type":"mark","t":0.5,"text":"a"}` + "\n"
	want := load(t, []byte(plain))
	for name, data := range map[string]string{
		"a byte order mark": mark + plain, "CRLF": strings.ReplaceAll(plain, "\n", "\r\n"), "both": mark + strings.ReplaceAll(plain, "\n", "\r\n"),
		"a mark in the middle of two": plain + mark + plain, "without a last end": mark + strings.TrimSpace(plain),
	} {
		rec := load(t, []byte(data))
		if diff := cmp.Diff(fmt.Sprintf("%#v", want.Samples[0]), fmt.Sprintf("%#v", rec.Samples[0])); diff != "" && !strings.Contains(name, "two") {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if !IsRecording([]byte(data)) || len(rec.Notes) > 0 {
			t.Errorf("%s: told as a recording %v, notes %v", name, IsRecording([]byte(data)), rec.Notes)
		}
	}
}

// utf16 writes ASCII as UTF-16.
func utf16(text string, low, high int) []byte {
	out := make([]byte, 2*len(text))
	for i := range len(text) {
		out[2*i+low], out[2*i+high] = text[i], 0
	}
	return out
}

func TestUTF16IsNamed(t *testing.T) {
	for name, data := range map[string][]byte{
		"little": append([]byte("\xff\xfe"), utf16(head, 0, 1)...), "big": append([]byte("\xfe\xff"), utf16(head, 1, 0)...),
		"little without a mark": utf16(head, 0, 1), "big without a mark": utf16(head, 1, 0),
	} {
		_, err := Load(bytes.NewReader(data), "f", nil)
		if !errors.Is(err, ErrNotRecording) || !strings.Contains(err.Error(), "it is UTF-16") {
			t.Errorf("%s: error %v", name, err)
		}
		if !IsRecording(data) {
			t.Errorf("%s: not told as what was meant as a recording", name)
		}
	}
	if IsRecording(append([]byte("\xff\xfe"), utf16("step 1 loss 2\n", 0, 1)...)) {
		t.Error("a log in UTF-16 is taken for a recording")
	}
}

func TestUnknownKeysAndTypesAndUnfitValuesAreTolerated(t *testing.T) {
	rec := load(t, []byte(head+`{"type":"weather","rain":true}
{"type":"proc","t":0,"pid":7,"start":"2026-11-30","rank":"3","world":4.0,"container":{"runtime":"docker","id":"abc"},"state":"S","new":[1]}
{"type":"sample","t":0.5,"new":{},"gpus":[{"index":0,"used":-5,"free":1e9,"util":"high","reserved":99999999999999999999,"later":1}],"procs":[{"pid":7,"gpu":0,"used":null},{"pid":8,"used":3}],"torch":[{"pid":7,"gpu":null,"source":"attach","allocated":1.5}]}
`))
	s := rec.Samples[0]
	g := s.GPUs[0]
	if g.Memory.UsedBytes.Known() || g.UtilPercent.Known() || g.Memory.DriverReservedBytes.Known() || s.Torch[0].AllocatedBytes.Known() {
		t.Errorf("an impossible value was believed: %+v", g)
	}
	if free, _ := g.Memory.FreeBytes.Get(); free != 1e9 || g.ID() != "GPU-a" || s.Torch[0].GPU.Known() {
		t.Errorf("gpu %+v", g)
	}
	p := s.Processes[0]
	if rank, _ := p.Rank.Get(); rank != 3 || p.World.Or(0) != 4 || p.Container.Runtime != "docker" || p.Container.ID != "abc" || p.State != "S" {
		t.Errorf("process %+v", p)
	}
	if rec.IgnoredCount != 1 || len(s.Holders) != 1 {
		t.Errorf("ignored %d, holders %+v", rec.IgnoredCount, s.Holders)
	}
}

func TestAppendingAfterATornLineKeepsBothParts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(name, []byte(head+`{"type":"sample","t":0}`+"\n"+`{"type":"sam`), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(name, Options{Exists: AppendToExisting})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(monitor.Sample{Time: start}), w.Close()); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(name)
	if rec := load(t, data); len(rec.Samples) != 2 || len(rec.Notes) != 1 {
		t.Errorf("%d samples, notes %v", len(rec.Samples), rec.Notes)
	}
}

func TestAppendingToAForeignFileIsRefusedAndLeavesItAlone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(name, []byte("my notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(name, Options{Exists: AppendToExisting}); !errors.Is(err, ErrNotRecording) {
		t.Errorf("error %v", err)
	}
	if data, _ := os.ReadFile(name); string(data) != "my notes" {
		t.Errorf("the file is now %q", data)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(head + `{"type":"sample","t":0.1,"gpus":[{"index":0,"used":1}],"procs":[{"pid":1,"gpu":0,"used":2}],"torch":[{"pid":1,"gpu":0,"state":"busy"}]}` + "\n"))
	f.Add(write(f, Options{}, []monitor.Sample{random(rand.New(rand.NewPCG(1, 2)), start), random(rand.New(rand.NewPCG(3, 2)), start)}))
	f.Add(write(f, Options{Gzip: true}, []monitor.Sample{random(rand.New(rand.NewPCG(5, 2)), start)}))
	f.Add([]byte(head + `{"type":"proc","t":-1,"pid":1,"container":"a:b"}` + "\n" + head + `{"type":"log","t":1e9,"text":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Load(bytes.NewReader(data), "f", echo{})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f: ") {
				t.Errorf("the error %q does not name the file", err)
			}
			return
		}
		// What was read can be written, and then read the same.
		once := write(t, Options{}, rec.Samples)
		if len(rec.Samples) == 0 {
			return
		}
		again, err := Load(bytes.NewReader(once), "again", nil)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if len(again.Samples) != len(rec.Samples) {
			t.Fatalf("%d samples, then %d", len(rec.Samples), len(again.Samples))
		}
	})
}

func TestPartsThatAreMoreThanReservedAreUnknownWithTheReason(t *testing.T) {
	rec, err := Load(strings.NewReader(head+`{"type":"sample","t":0,"gpus":[],"procs":[],"torch":[`+
		`{"pid":7,"gpu":0,"source":"attach","allocated":50,"reserved":20,"active_bytes":20,"inactive_split_bytes":100}]}`+"\n"), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := rec.Samples[0].Torch[0]
	for name, r := range map[string]monitor.Reading[int64]{"allocated": a.AllocatedBytes, "inactive split": a.InactiveSplitBytes} {
		if r.Known() || !strings.Contains(r.Why().Detail, "contradicts itself") {
			t.Errorf("%s of more than reserved is %v", name, r)
		}
	}
	if a.ReservedBytes.Or(-1) != 20 || a.ActiveBytes.Or(-1) != 20 {
		t.Errorf("reserved %v and active %v were lost with them", a.ReservedBytes, a.ActiveBytes)
	}
}
