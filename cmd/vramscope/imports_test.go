package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/vramscope/vramscope"

// goPackage is what `go list -json` says of a package.
type goPackage struct {
	ImportPath, Dir                    string
	GoFiles, CgoFiles                  []string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,Imports,TestImports,XTestImports", module+"/...")
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
		return to == "monitor" || under(to, "tui", "advisor", "monitor/history", "monitor/clean") && !otherScreen(from, to)
	case under(from, "cmd"):
		return true
	}
	return false
}

// otherScreen tells whether one screen would import another. What they share is
// the package above them, and chrome.
func otherScreen(from, to string) bool {
	of := func(room string) string {
		name, ok := strings.CutPrefix(room, "tui/screen/")
		if !ok || name == "chrome" {
			return ""
		}
		return name
	}
	return of(from) != "" && of(to) != "" && of(from) != of(to)
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

// A test may look sideways, for what makes up its data, but not up.
func TestTestsLookNoFurtherUpThanWhatTheyTest(t *testing.T) {
	floor := func(room string) int {
		for i, house := range []string{"monitor", "advisor", "tui", "cmd"} {
			if under(room, house) {
				return i
			}
		}
		return -1
	}
	for _, p := range packages(t) {
		from, ok := house(p.ImportPath)
		if !ok {
			continue
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			if to, own := house(imp); own && floor(to) > floor(from) {
				t.Errorf("a test of %s imports %s", from, to)
			}
		}
	}
}

func TestWhatIsForTestsIsImportedByTestsAlone(t *testing.T) {
	for _, p := range packages(t) {
		from, ok := house(p.ImportPath)
		if !ok {
			continue
		}
		for _, imp := range p.Imports {
			if to, own := house(imp); own && under(to, "monitor/nvml/fakedriver", "monitor/script", "tui/internal") && !under(from, to) {
				t.Errorf("%s imports %s", from, to)
			}
		}
	}
}

// What is pure gets the time handed in and touches nothing outside.
func TestThePureRoomsHaveNoClockAndNoFiles(t *testing.T) {
	pure := []string{"advisor", "monitor/history", "monitor/logtail/formats", "monitor/clean", "monitor/scrub",
		"tui/text", "tui/theme", "tui/keys", "tui/widget", "tui/screen"}
	forbidden := []string{"os", "io/fs", "net", "os/exec", "syscall"}
	looked := 0
	for _, p := range packages(t) {
		from, ok := house(p.ImportPath)
		if !ok || from != "monitor" && from != "tui/procs" && !under(from, pure...) {
			continue
		}
		for _, imp := range p.Imports {
			if slices.Contains(forbidden, imp) {
				t.Errorf("%s imports %s", from, imp)
			}
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range []string{"time.Now", "time.Since", "time.Until", "time.After", "time.Sleep", "time.NewT"} {
				if bytes.Contains(text, []byte(call)) {
					t.Errorf("%s/%s has %s", from, name, call)
				}
			}
			looked++
		}
	}
	if looked < 50 {
		t.Errorf("only %d files were looked at", looked)
	}
}
