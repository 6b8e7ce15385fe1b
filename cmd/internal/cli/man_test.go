package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func runMain(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(System{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Now: func() time.Time { return time.Time{} }})
	return code, out.String(), errs.String()
}

func TestTheManualNamesEveryCommandAndFlagOfTheHelp(t *testing.T) {
	code, page, stderr := runMain(t, "man")
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.HasParent() && !strings.Contains(page, `.SS "`+roff(c.CommandPath())) {
			t.Errorf("no section for %q", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(page, `\fB`+roff("--"+f.Name)+`\fR`) {
				t.Errorf("%s: --%s is not in the manual", c.CommandPath(), f.Name)
			}
		})
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				visit(sub)
			}
		}
	}
	visit(newRoot(System{}))
}

func TestTheManualIsTheSameEachTime(t *testing.T) {
	_, first, _ := runMain(t, "man")
	_, second, _ := runMain(t, "man")
	if first != second || len(first) < 1000 {
		t.Fatalf("%d and %d bytes", len(first), len(second))
	}
}

func TestTextOfTheManualIsNotReadAsRequests(t *testing.T) {
	for in, want := range map[string]string{
		".SH evil":      `\&.SH evil`,
		"a\n'br":        "a\n\\&'br",
		`C:\n`:          `C:\en`,
		"--json":        `\-\-json`,
		`say "so"`:      `say \(dqso\(dq`,
		"plain, 5 GiB.": "plain, 5 GiB.",
	} {
		if got := roff(in); got != want {
			t.Errorf("roff(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTheHelpDoesNotListTheManualCommand(t *testing.T) {
	_, help, _ := runMain(t, "--help")
	if strings.Contains(help, "\n  man") || !strings.Contains(help, "\n  completion") {
		t.Fatal(help)
	}
}
