package doctor

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
)

// unpack returns the files of an archive by name.
func unpack(t *testing.T, data []byte) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(zip); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if head.Mode != 0o600 || strings.HasPrefix(head.Name, "/") || strings.Contains(head.Name, "..") {
			t.Errorf("%s has mode %o", head.Name, head.Mode)
		}
		files[head.Name] = string(body)
	}
}

// secrets are texts of the kinds that stand in command lines, environments and
// names; none may be found in a bundle.
var secrets = []struct{ where, secret string }{
	{"--password Tr0ub4dor&3x", "Tr0ub4dor"},
	{"WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01234567"},
	{"--hf-token hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz12345678", "AbCdEfGhIjKlMnOpQrStUvWxYz"},
	{"https://ann:s3cr3tPass@git.example.org/r.git", "s3cr3tPass"},
	{"Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk", "eyJzdWIiOiIxIn0"},
	{"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"},
	{"--data /home/annabel/corpus", "annabel"},
	{"--output /Users/annabel/out", "annabel"},
	{"on trainbox-17 now", "trainbox-17"},
}

// soaked is a sample with every secret in every text of it.
func soaked() monitor.Sample {
	var all []string
	for _, s := range secrets {
		all = append(all, s.where)
	}
	text := strings.Join(all, " ")
	at := time.Unix(1_700_000_000, 0)
	return monitor.Sample{
		Time: at, Host: "trainbox-17", Driver: "580.95.05",
		GPUs:    []monitor.GPU{{Index: 0, Reason: text, Name: monitor.Known("Card")}},
		Holders: []monitor.Holder{{PID: 7, InNamespace: true, Name: "annabel"}},
		Processes: []monitor.Process{{PID: 7, User: "annabel", Name: "python", Command: "python " + text,
			AllocConf: monitor.Known("max_split_size_mb:64 " + text), VisibleDevices: monitor.Known(text)}},
		Torch:    []monitor.Allocator{{PID: 7, Reason: text, State: monitor.AllocatorDenied}},
		Lines:    []monitor.LogLine{{Time: at, Text: "loss 1 secret-of-a-log " + text}},
		Readings: []monitor.LogReading{{Time: at, Source: "/home/annabel/train.log"}},
		Marks:    []monitor.Mark{{Time: at, Text: text}},
		Sources:  []monitor.SourceStatus{{Name: "log", Reason: text}},
	}
}

func TestNoSecretAndNoNameGetsIntoABundle(t *testing.T) {
	s := soaked()
	f := healthy()
	f.Sample = s
	f.LogNames = []string{"/home/annabel/train.log"}
	f.Container = Container{Runtime: "docker", Name: "trainbox-17", Image: s.Sources[0].Reason}
	f.Jobs = []JobFacts{{PID: 7}}
	bundle := Bundle{Report: Judge(f), Samples: []monitor.Sample{s, s}, Versions: []string{"vramscope 1", s.Sources[0].Reason}, At: s.Time, Interval: time.Second}
	var b bytes.Buffer
	if err := bundle.Write(&b); err != nil {
		t.Fatal(err)
	}
	files := unpack(t, b.Bytes())
	names := []string{}
	for name, body := range files {
		names = append(names, name)
		for _, x := range append(secrets, struct{ where, secret string }{"a log", "secret-of-a-log"}) {
			if strings.Contains(body, x.secret) {
				at := strings.Index(body, x.secret)
				t.Errorf("%s has %q of %q: …%s…", name, x.secret, x.where, body[max(0, at-80):min(len(body), at+60)])
			}
		}
	}
	if len(names) != 4 {
		t.Errorf("files %v", names)
	}
	if !strings.Contains(files["vramscope-bundle/once.json"], "user-1") {
		t.Errorf("the user has no alias:\n%s", files["vramscope-bundle/once.json"])
	}
	if s.Processes[0].User != "annabel" || s.Sources[0].Reason == "" {
		t.Error("the sample itself was changed")
	}
}

func TestAMachineOfAShortNameIsNotNamedEither(t *testing.T) {
	f := healthy()
	f.Sample.Host, f.Container = "vm", Container{Runtime: "docker", Name: "vm"}
	var b bytes.Buffer
	if err := (Bundle{Report: Judge(f), Samples: []monitor.Sample{f.Sample}, At: f.Sample.Time, Interval: time.Second}).Write(&b); err != nil {
		t.Fatal(err)
	}
	body := unpack(t, b.Bytes())["vramscope-bundle/doctor.json"]
	if strings.Contains(body, "named vm") || !strings.Contains(body, "named HOST") {
		t.Errorf("doctor.json:\n%s", body)
	}
}

func TestTheRecordingOfABundleCanBeReplayed(t *testing.T) {
	s := healthy().Sample
	next := s
	next.Time = s.Time.Add(time.Second)
	var b bytes.Buffer
	if err := (Bundle{Report: Judge(healthy()), Samples: []monitor.Sample{s, next}, At: s.Time, Interval: time.Second}).Write(&b); err != nil {
		t.Fatal(err)
	}
	text := unpack(t, b.Bytes())["vramscope-bundle/recording.jsonl"]
	loaded, err := record.Load(strings.NewReader(text), "recording.jsonl", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(2, len(loaded.Samples)); diff != "" {
		t.Error(diff)
	}
}

func TestAnEmptyBundleIsRefused(t *testing.T) {
	if err := (Bundle{}).Write(io.Discard); err == nil {
		t.Error("no error")
	}
}

func TestANameIsReplacedOnlyAsAWholeWord(t *testing.T) {
	for line, want := range map[string]string{
		"ann": "X", "ann-1 /ann/": "X-1 /X/", "annotate joann ann_x": "annotate joann ann_x", "ann ann": "X X", "": "",
	} {
		if got := replaceWord(line, "ann", "X"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
