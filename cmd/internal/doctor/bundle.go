package doctor

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/monitor/scrub"
)

// Bundle is what a bug report needs: the answers, a sample, a short recording,
// and what it was made with. It leaves this machine only when somebody sends it
// on, so everything in it goes through the same scrubber as a recording, and
// more is left out: names of the machine, of users and of home folders, and the
// lines of logs.
type Bundle struct {
	Report   Report
	Samples  []monitor.Sample // the last one is the sample of its own file
	Versions []string         // a line each
	At       time.Time
	Interval time.Duration
}

// Write writes the bundle as a gzipped tar archive of four files.
func (b Bundle) Write(w io.Writer) error {
	if len(b.Samples) == 0 {
		return errors.New("a bundle needs a sample")
	}
	a := newAnonymous(b.Samples)
	samples := make([]monitor.Sample, len(b.Samples))
	for i := range b.Samples {
		samples[i] = a.sample(b.Samples[i])
	}
	var report, once, recording bytes.Buffer
	err := errors.Join(
		a.report(b.Report).WriteJSON(&report),
		record.EncodeOnce(&once, samples[len(samples)-1], a.text),
		writeRecording(&recording, samples, b.Interval, a.text),
	)
	if err != nil {
		return err
	}
	zip := gzip.NewWriter(w)
	archive := tar.NewWriter(zip)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"doctor.json", report.Bytes()},
		{"once.json", once.Bytes()},
		{"recording.jsonl", recording.Bytes()},
		{"versions.txt", []byte(a.lines(b.Versions))},
	} {
		head := &tar.Header{Name: "vramscope-bundle/" + f.name, Mode: 0o600, Size: int64(len(f.data)), ModTime: b.At.UTC().Truncate(time.Second)}
		if err := archive.WriteHeader(head); err != nil {
			return fmt.Errorf("bundle: %w", err)
		}
		if _, err := archive.Write(f.data); err != nil {
			return fmt.Errorf("bundle: %w", err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	return nil
}

func writeRecording(w io.Writer, samples []monitor.Sample, interval time.Duration, scrub func(string) string) error {
	out := record.NewWriter(w, record.Options{Scrub: scrub, Interval: interval})
	for _, s := range samples {
		if err := out.Write(s); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

// anonymous replaces what names people and machines, the same way everywhere.
type anonymous struct {
	host  string
	users []string // the n-th is called user-n
}

func newAnonymous(samples []monitor.Sample) *anonymous {
	a := &anonymous{}
	for i := range samples {
		a.host = samples[i].Host
		for _, p := range samples[i].Processes {
			a.alias(p.User)
		}
	}
	return a
}

// alias returns the name that stands for a user. Root is nobody's name.
func (a *anonymous) alias(user string) string {
	if user == "" || user == "root" {
		return user
	}
	for i, u := range a.users {
		if u == user {
			return fmt.Sprintf("user-%d", i+1)
		}
	}
	a.users = append(a.users, user)
	return fmt.Sprintf("user-%d", len(a.users))
}

// homeFolder is a home folder with its owner's name.
var homeFolder = regexp.MustCompile(`/(?:home|Users|data/home|mnt/home)/[^/\s"',:]+`)

// text scrubs one line.
func (a *anonymous) text(line string) string {
	line = homeFolder.ReplaceAllString(scrub.Text(line), "~")
	for i, user := range a.users {
		line = replaceWord(line, user, fmt.Sprintf("user-%d", i+1))
	}
	if len(a.host) > 1 { // one letter is also a word
		line = replaceWord(line, a.host, "HOST")
	}
	return line
}

// replaceWord replaces a name where it is not a part of a longer word.
func replaceWord(line, name, by string) string {
	var b strings.Builder
	for {
		at := strings.Index(line, name)
		if at < 0 {
			b.WriteString(line)
			return b.String()
		}
		end := at + len(name)
		if at > 0 && isWordByte(line[at-1]) || end < len(line) && isWordByte(line[end]) {
			b.WriteString(line[:end])
		} else {
			b.WriteString(line[:at] + by)
		}
		line = line[end:]
	}
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (a *anonymous) lines(list []string) string {
	var b strings.Builder
	for _, line := range list {
		b.WriteString(a.text(line) + "\n")
	}
	return b.String()
}

// sample returns a copy without the names and without the lines of logs.
func (a *anonymous) sample(s monitor.Sample) monitor.Sample {
	s.Host = ""
	s.Lines, s.Readings, s.Marks = nil, nil, nil
	s.Holders = append([]monitor.Holder(nil), s.Holders...)
	for i := range s.Holders {
		s.Holders[i].Name = a.text(s.Holders[i].Name)
	}
	s.GPUs = append([]monitor.GPU(nil), s.GPUs...)
	for i := range s.GPUs {
		s.GPUs[i].Reason = a.text(s.GPUs[i].Reason)
	}
	s.Processes = append([]monitor.Process(nil), s.Processes...)
	for i := range s.Processes {
		p := &s.Processes[i]
		p.User, p.Command, p.Name = a.alias(p.User), a.text(p.Command), a.text(p.Name)
		p.Container.ID, p.Container.Pod = a.text(p.Container.ID), a.text(p.Container.Pod)
		p.AllocConf = monitor.Map(p.AllocConf, a.text)
	}
	s.Torch = append([]monitor.Allocator(nil), s.Torch...)
	for i := range s.Torch {
		s.Torch[i].Reason = a.text(s.Torch[i].Reason)
	}
	s.Sources = append([]monitor.SourceStatus(nil), s.Sources...)
	for i := range s.Sources {
		s.Sources[i].Reason = a.text(s.Sources[i].Reason)
	}
	return s
}

func (a *anonymous) report(r Report) Report {
	r.Checks = a.checks(r.Checks)
	r.Jobs = append([]Job{}, r.Jobs...)
	for i := range r.Jobs {
		j := &r.Jobs[i]
		j.Name, j.User, j.Checks = a.text(j.Name), a.alias(j.User), a.checks(j.Checks)
		j.AllocConf, j.Container = a.field(j.AllocConf), a.field(j.Container)
	}
	return r
}

func (a *anonymous) field(s *string) *string {
	if s == nil {
		return nil
	}
	text := a.text(*s)
	return &text
}

func (a *anonymous) checks(list []Check) []Check {
	out := append([]Check{}, list...)
	for i := range out {
		out[i].Reason, out[i].Cure = a.text(out[i].Reason), a.text(out[i].Cure)
	}
	return out
}
