package doctor

import (
	"fmt"
	"strings"
)

// The smallest screen on which everything fits.
const (
	wantWidth  = 80
	wantHeight = 24
)

// noColour is the variable of no-color.org.
const noColour = "NO_COLOR" //nolint:misspell // its name

func (f *Facts) terminal() Check {
	t := f.Terminal
	if !t.Attached {
		return lacking(IDTerminal, Unavailable, "standard output is no terminal, so the live screen cannot be drawn",
			"with docker or kubectl exec give -it, with ssh -t", "use 'vramscope once' or 'vramscope record'")
	}
	said := "TERM=" + orNone(t.Term)
	if t.Width > 0 {
		said += fmt.Sprintf(", %dx%d", t.Width, t.Height)
	}
	var missing, cures []string
	if t.Term == "" || t.Term == "dumb" {
		missing, cures = append(missing, "it is not known what this terminal can do"), append(cures, "set TERM, for instance TERM=xterm-256color")
	}
	if !t.utf8() {
		missing, cures = append(missing, "the locale is not UTF-8, so lines are drawn in ASCII"), append(cures, "set LANG=C.UTF-8")
	}
	if t.Width > 0 && (t.Width < wantWidth || t.Height < wantHeight) {
		missing, cures = append(missing, fmt.Sprintf("smaller than %dx%d, so parts are left out", wantWidth, wantHeight)), append(cures, "enlarge the window")
	}
	if !t.Home {
		said += ", no home folder (settings are not kept)"
	}
	if !t.Colours {
		said += ", colours are off (" + noColour + ")"
	}
	if len(missing) > 0 {
		return lacking(IDTerminal, Partial, said+"; "+strings.Join(missing, "; "), cures...)
	}
	return good(IDTerminal, said)
}

func orNone(s string) string {
	if s == "" {
		return "(not set)"
	}
	return s
}

func (t Terminal) utf8() bool {
	name := strings.ToLower(strings.ReplaceAll(t.Locale, "-", ""))
	return strings.Contains(name, "utf8")
}

// TerminalOf reads from an environment what it says of the terminal.
func TerminalOf(environ []string) Terminal {
	get := func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if k, v, ok := strings.Cut(environ[i], "="); ok && k == name {
				return v
			}
		}
		return ""
	}
	t := Terminal{Term: get("TERM"), Colours: get(noColour) == "", Home: get("HOME") != "" || get("XDG_CONFIG_HOME") != "",
		Tmux: get("TMUX") != "", SSH: get("SSH_TTY") != "" || get("SSH_CONNECTION") != ""}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := get(name); v != "" {
			t.Locale = v
			break
		}
	}
	return t
}
