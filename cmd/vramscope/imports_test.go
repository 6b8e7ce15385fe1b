package main_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/vramscope/vramscope"

// goPackage is what `go list -json` says of a package.
type goPackage struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.String())
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 5 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

// house returns the room of a package: its path below the module.
func house(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, module+"/")
	return rest, ok
}

func under(room string, parents ...string) bool {
	return slices.ContainsFunc(parents, func(p string) bool { return room == p || strings.HasPrefix(room, p+"/") })
}

func standard(path string) bool { return !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") }

// allowed says which of the project's own packages a package may import.
func allowed(from, to string) bool {
	switch {
	case from == "monitor":
		return false
	case under(from, "monitor/sampler", "monitor/history", "monitor/record", "monitor/script"):
		return under(to, "monitor")
	case under(from, "monitor"): // an adaptor knows the vocabulary, what makes text harmless, and itself
		room := strings.Join(strings.SplitN(from, "/", 3)[:2], "/")
		return to == "monitor" || to == "monitor/scrub" || to == "monitor/clean" || under(to, room)
	case under(from, "advisor"):
		return to == "monitor" || under(to, "monitor/history", "monitor/clean", "advisor")
	case under(from, "tui/widget", "tui/text", "tui/theme", "tui/keys"):
		return to == "monitor" || under(to, "tui/widget", "tui/text", "tui/theme", "tui/keys", "monitor/history", "monitor/clean")
	case under(from, "tui"):
		return under(to, "tui", "advisor", "monitor")
	case under(from, "cmd"):
		return true
	}
	return false
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from, ok := house(p.ImportPath)
		if !ok {
			continue
		}
		for _, imp := range p.Imports {
			if to, own := house(imp); own && !allowed(from, to) {
				t.Errorf("%s imports %s", from, to)
			}
		}
	}
}

func TestTheVocabularyNeedsTheStandardLibraryAlone(t *testing.T) {
	for _, p := range packages(t) {
		if from, _ := house(p.ImportPath); from != "monitor" {
			continue
		}
		for _, imp := range p.Imports {
			if !standard(imp) {
				t.Errorf("monitor imports %s", imp)
			}
		}
	}
}

func TestOneAdaptorOwnsEachDangerousLibrary(t *testing.T) {
	owners := map[string][]string{
		"github.com/NVIDIA/go-nvml":   {"monitor/nvml"},
		"github.com/shirou/gopsutil":  {"monitor/proc"},
		"charm.land/bubbletea":        {"tui"},
		"charm.land/lipgloss":         {"tui"},
		"github.com/BurntSushi/toml":  {"cmd"},
		"github.com/spf13/cobra":      {"cmd"},
		"github.com/charmbracelet/x/": {"tui", "monitor/clean"},
	}
	for _, p := range packages(t) {
		from, ok := house(p.ImportPath)
		if !ok {
			continue
		}
		for _, imp := range p.Imports {
			for library, owner := range owners {
				if strings.HasPrefix(imp, library) && !under(from, owner...) {
					t.Errorf("%s imports %s, which belongs to %s", from, imp, owner)
				}
			}
		}
	}
}

func TestTheAdvisorHasNoClockAndNoFiles(t *testing.T) {
	forbidden := []string{"os", "io/fs", "net", "os/exec", "syscall"}
	for _, p := range packages(t) {
		from, ok := house(p.ImportPath)
		if !ok || !under(from, "advisor") {
			continue
		}
		for _, imp := range p.Imports {
			if slices.Contains(forbidden, imp) {
				t.Errorf("%s imports %s", from, imp)
			}
		}
	}
}
