package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mayReach are the packages of this project that may import what can start a
// program or open a connection, each for a reason. SECURITY.md says so; a new
// one has to be written down there too.
var mayReach = map[string][]string{
	"os/exec": {
		"cmd/internal/job",        // starts the user's own command: vramscope run
		"cmd/internal/cli",        // notifies with the user's own command: --on-finding
		"monitor/nvml/fakedriver", // builds the tests' driver
	},
	"net":      {},
	"net/http": {},
	"net/rpc":  {},
	"plugin":   {},
}

func TestOnlyTheNamedPackagesStartProgramsOrOpenConnections(t *testing.T) {
	for _, p := range packages(t) {
		from, ok := house(p.ImportPath)
		if !ok {
			continue
		}
		for _, imp := range p.Imports {
			allowed, guarded := mayReach[imp]
			if guarded && !under(from, allowed...) {
				t.Errorf("%s imports %s, which SECURITY.md does not name", from, imp)
			}
		}
	}
}

func TestNoPackageCallsWhatStopsOrWritesIntoAProcess(t *testing.T) {
	bad := regexp.MustCompile(`(?i)\b(ptrace(attach|seize|poke\w*|setregs|cont)|processvmwritev|process_vm_writev|sys_ptrace_attach)\b`)
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if m := bad.Find(text); m != nil {
			t.Errorf("%s has %s", path, m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPackagingGivesNoRights(t *testing.T) {
	bad := regexp.MustCompile(`(?i)setcap\b|chmod\s+\S*(?:u\+s|g\+s|[2467][0-7]{3}\b)|mode:\s*0?[2467][0-7]{3}\b|setuid`)
	files := []string{"../../Dockerfile", "../../.goreleaser.yaml"}
	for _, pattern := range []string{"../../packaging/*", "../../.ci/*"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	looked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a folder, or not there in this tree
		}
		looked++
		if m := bad.Find(text); m != nil {
			t.Errorf("%s has %q", file, m)
		}
	}
	if looked < 2 {
		t.Fatalf("only %d files of the packaging were found", looked)
	}
}

func TestSecurityNotesNameEverythingThatIsTested(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range regexp.MustCompile("`([a-z.]+/[a-zA-Z0-9_./]+)`").FindAllStringSubmatch(string(text), -1) {
		name := path[1]
		if strings.HasPrefix(name, "torch/") || strings.HasPrefix(name, "proc") || strings.HasPrefix(name, "ns/") {
			continue // a path of a job
		}
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Errorf("SECURITY.md names %s, which is not there", name)
		}
	}
}
