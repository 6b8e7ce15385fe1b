package cli

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/tui/theme"
)

func TestEachShellGetsItsCompletionScript(t *testing.T) {
	for shell, mark := range map[string]string{
		"bash": "complete -o default -F __start_vramscope vramscope",
		"zsh":  "#compdef vramscope",
		"fish": "complete -c vramscope",
	} {
		code, script, stderr := runMain(t, "completion", shell)
		if code != ExitDone || stderr != "" || !strings.Contains(script, mark) {
			t.Errorf("%s: exit %d, %d bytes without %q, %s", shell, code, len(script), mark, stderr)
		}
	}
}

func TestAnUnknownShellIsWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"completion"}, {"completion", "csh"}, {"completion", "bash", "zsh"}} {
		if code, out, stderr := runMain(t, args...); code != ExitUsage || out != "" || stderr == "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, stderr)
		}
	}
}

func TestACompletionOffersCommandsAndThemes(t *testing.T) {
	_, commands, _ := runMain(t, "__complete", "")
	for _, want := range []string{"once\t", "parse\t", "replay\t"} {
		if !strings.Contains(commands, want) {
			t.Errorf("no %q in %q", want, commands)
		}
	}
	_, themes, _ := runMain(t, "__complete", "--theme", "")
	for _, name := range theme.Names() {
		if !strings.Contains(themes, name+"\n") {
			t.Errorf("no %q in %q", name, themes)
		}
	}
}
