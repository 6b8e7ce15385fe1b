package proc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/vramscope/vramscope/monitor"
)

func TestAContainerIsKnownByItsControlGroups(t *testing.T) {
	files, err := filepath.Glob("testdata/cgroup/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tr, p, want := newTree(t), process{pid: 100}, ""
			for _, f := range archive.Files {
				switch text := string(f.Data); f.Name {
				case "cgroup":
					p.cgroup = text
				case "mountinfo":
					p.mountinfo = text
				case "self-cgroup":
					tr.write(filepath.Join(tr.proc, "self", "cgroup"), text)
				case "want":
					want = strings.TrimSpace(text)
				default:
					tr.write(filepath.Join(tr.sys, strings.TrimPrefix(f.Name, "sys/")), text)
				}
			}
			tr.add(p)
			got := read(t, tr.source(), noon, 100).Processes[0].Container
			if text := containerText(got); text != want {
				t.Errorf("%s\n got %s\nwant %s", strings.TrimSpace(string(archive.Comment)), text, want)
			}
		})
	}
}

func containerText(c monitor.Container) string {
	or := func(s string) string {
		if s == "" {
			return `""`
		}
		return s
	}
	limit := "unknown"
	if bytes, ok := c.LimitBytes.Get(); ok {
		limit = fmt.Sprint(bytes)
	} else if c.LimitBytes.Why().Code == monitor.NotApplicable {
		limit = "none"
	}
	return fmt.Sprintf("%s %s %s %s", or(c.Runtime), or(c.ID), or(c.Pod), limit)
}

func TestFixturesNameNoMachine(t *testing.T) {
	files, err := filepath.Glob("testdata/cgroup/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), ".local") || strings.Contains(string(raw), "@host") {
			t.Errorf("%s names a machine", file)
		}
	}
}
