package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

const plainHeader = `{"type":"header","format":1,"started":"2026-01-02T03:04:05Z"}` + "\n"

func TestARowWhoseTypeIsNoTextIsSkippedAndCounted(t *testing.T) {
	text := plainHeader + `{"type":5}` + "\n" + `{"type":null,"t":1}` + "\n" + `{"t":1}` + "\n" + `{"type":"later"}` + "\n" + `{"type":"mark","t":1,"text":"here"}` + "\n"
	rec, err := Load(strings.NewReader(text), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if rec.IgnoredCount != 4 || len(rec.Marks) != 1 {
		t.Errorf("ignored %d, marks %v", rec.IgnoredCount, rec.Marks)
	}
}

func TestAnErrorNamesTheLineAndTheKeyAndNoTypeOfTheProgram(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"sample","t":"soon"}`:                 `x: line 2: sample: t is "\"soon\"", not a number of seconds`,
		`{"type":"sample","t":1,"gpus":{}}`:            `key "gpus": it is a JSON object and must be a list`,
		`{"type":"sample","t":1,"torch":[{"pid":[]}]}`: `key "torch.pid": it is a JSON array and must be a number`,
		`{"type":"mark","t":1,"text":7}`:               `mark: key "text": it is a JSON number and must be a text`,
		`[1]`:                                          `it is a JSON array and must be an object`,
	} {
		_, err := Load(strings.NewReader(plainHeader+text+"\n"), "x", nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "Row") {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// endless is gzip data of the same line without an end.
func endless(line string) io.Reader {
	r, w := io.Pipe()
	go func() {
		zip := gzip.NewWriter(w)
		_, err := io.WriteString(zip, plainHeader)
		block := strings.Repeat(line, 1<<20/len(line))
		for err == nil {
			_, err = io.WriteString(zip, block)
		}
	}()
	return r
}

func TestCompressedDataThatGrowsWithoutMeasureIsRefusedSoon(t *testing.T) {
	for _, line := range []string{"\n", `{"type":"later"}` + "\n"} {
		in := endless(line)
		rec, err := Stream(in, "bomb.gz", nil, func(monitor.Sample) error { return nil })
		if !errors.Is(err, ErrNotRecording) || !strings.Contains(err.Error(), "grows more than 150-fold") {
			t.Errorf("%q: %v, %v", line, rec, err)
		}
		_ = in.(*io.PipeReader).Close()
	}
}

func TestALargeFileThatShrinksLikeARecordingIsNoBomb(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := io.WriteString(zip, plainHeader); err != nil {
		t.Fatal(err)
	}
	n := 0
	for size := 0; size < growthFrom+1<<20; n++ {
		written, err := fmt.Fprintf(zip, `{"type":"later","x":%q}`+"\n", strings.Repeat(fmt.Sprint(n*7919), 60))
		if err != nil {
			t.Fatal(err)
		}
		size += written
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := Stream(&packed, "still.gz", nil, func(monitor.Sample) error { return nil })
	if err != nil || rec.IgnoredCount != n {
		t.Errorf("%v, %v of %d", err, rec, n)
	}
}

func TestAFigureThatNoDeviceHasIsNotShown(t *testing.T) {
	for _, c := range []struct {
		text string
		fit  bool
	}{
		{`"util":-5,"temp_c":-300,"power_w":-100,"sm":1e9`, false},
		{`"util":1e9,"temp_c":1e18,"power_w":1e30,"sm":-1`, false},
		{`"util":97,"temp_c":71,"power_w":688.5,"sm":100.4`, true},
	} {
		rec, err := Load(strings.NewReader(plainHeader+`{"type":"sample","t":1,"gpus":[{"index":0,`+c.text+`}]}`+"\n"), "x", nil)
		if err != nil || len(rec.Samples) != 1 {
			t.Fatal(err)
		}
		g := rec.Samples[0].GPUs[0]
		for name, r := range map[string]monitor.Reading[float64]{"util": g.UtilPercent, "temperature": g.TemperatureC, "power": g.PowerW, "sm": g.Activity.SMPercent} {
			if r.Known() != c.fit || !c.fit && r.Why().Code != monitor.Failed {
				t.Errorf("%s: %s is %v", c.text, name, r)
			}
		}
	}
}

func TestSamplesThatAreNotLaterAreCountedInANote(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"sample","t":1}` + "\n" + `{"type":"sample","t":2}`:                                    "",
		`{"type":"sample","t":2}` + "\n" + `{"type":"sample","t":1}` + "\n" + `{"type":"sample","t":1}`: "2 of 3 samples",
		`{"type":"sample","t":-1}` + "\n" + `{"type":"sample","t":-2}`:                                  "1 of 2 samples",
	} {
		rec, err := Load(strings.NewReader(plainHeader+text+"\n"), "x", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rec.Notes, ";"); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: the notes are %q", text, got)
		}
	}
}

func TestADeviceOfNoSizeHasAnUnknownSize(t *testing.T) {
	rec, err := Load(strings.NewReader(plainHeader+`{"type":"sample","t":1,"gpus":[{"index":0,"total":0,"used":5}]}`+"\n"), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if total := rec.Samples[0].GPUs[0].Memory.TotalBytes; total.Known() || !strings.Contains(total.Why().String(), "0 bytes") {
		t.Errorf("it is %v", total)
	}
}
