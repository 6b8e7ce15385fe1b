package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
)

func TestAFindingReachesTheProgramAndNoShell(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	program := filepath.Join(dir, "tell")
	script := "#!/bin/sh\n{ for a in \"$@\"; do echo \"arg $a\"; done; echo \"title $VRAMSCOPE_FINDING_TITLE\"; cat; } > " + out + "\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	sys := System{Environ: os.Environ(), Now: func() time.Time { return time.Time{} }}
	tell, err := notifier(t.Context(), sys, []string{program, "$(touch " + dir + "/owned)", "two words"})
	if err != nil {
		t.Fatal(err)
	}
	if err := tell(advisor.Finding{ID: "leak", Severity: advisor.Critical, Title: "`touch " + dir + "/owned`; leak"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"arg $(touch", "arg two words\n", "title `touch", `"id":"leak"`} {
		if !strings.Contains(strings.ReplaceAll(string(got), `": "`, `":"`), want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
		t.Error("a shell ran what the finding says")
	}
}

func TestAProgramThatIsMissingOrFailsIsNamed(t *testing.T) {
	sys := System{Now: func() time.Time { return time.Time{} }}
	if _, err := notifier(t.Context(), sys, []string{"no-such-program-here"}); err == nil || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Errorf("got %v", err)
	}
	tell, err := notifier(t.Context(), sys, []string{"false"})
	if err != nil {
		t.Skipf("no program \"false\" here: %v", err)
	}
	if err := tell(advisor.Finding{}); err == nil || !strings.Contains(err.Error(), "false") {
		t.Errorf("got %v", err)
	}
	if none, err := notifier(t.Context(), sys, nil); none != nil || err != nil {
		t.Errorf("got %v", err)
	}
}

func TestAProgramThatFloodsItsErrorsIsCutShort(t *testing.T) {
	sys := System{Now: func() time.Time { return time.Time{} }}
	tell, err := notifier(t.Context(), sys, []string{"sh", "-c", "echo first >&2; head -c 10000000 /dev/zero >&2; exit 3"})
	if err != nil {
		t.Skipf("no shell here: %v", err)
	}
	if err := tell(advisor.Finding{}); err == nil || !strings.HasSuffix(err.Error(), "exit status 3 first") {
		t.Errorf("got %.200v", err)
	}
	var b beginning
	for range 100 {
		if n, err := b.Write(make([]byte, 1000)); n != 1000 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(b) != 4<<10 {
		t.Errorf("%d bytes are kept", len(b))
	}
}
