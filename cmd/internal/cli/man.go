package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan prints the manual page, written from the same tree of commands as the
// help. It is for the packages, so the help does not list it.
func newMan(sys System) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "print the manual page (roff)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return writeManual(sys.Stdout, cmd.Root(), stampedVersion())
		}),
	}
}

// manual writes roff for man(7). It holds no date, so that the same tree and
// version make the same bytes.
type manual struct{ w *bufio.Writer }

func writeManual(w io.Writer, root *cobra.Command, version string) error {
	m := manual{bufio.NewWriter(w)}
	name := root.Name()
	m.line(`.TH %s 1 "" "%s" "User Commands"`, strings.ToUpper(name), roff(strings.TrimSpace(name+" "+version)))
	m.line(".SH NAME")
	m.line(`%s \- %s`, roff(name), roff(root.Short))
	m.line(".SH SYNOPSIS")
	m.line(`.B %s`, roff(name))
	m.line(`[\fIcommand\fR] [\fIoptions\fR]`)
	m.line(".SH DESCRIPTION")
	m.text(root.Long)
	m.line(".SH OPTIONS")
	m.flags(root.LocalFlags())
	m.line(".SH COMMANDS")
	m.commands(root)
	m.line(".SH ENVIRONMENT")
	m.text("Every option can be given as a variable: " + envPrefix + " and the option's name in capitals, with _ for -. The command line wins.")
	m.line(".SH EXIT STATUS")
	for _, row := range []struct {
		code int
		what string
	}{
		{ExitDone, "done"},
		{ExitFailed, "failed; the reason stands on standard error"},
		{ExitUsage, "wrong usage"},
		{ExitNoDriver, "no NVIDIA driver or GPU on this machine"},
		{ExitFound, "the condition of --fail-on was met"},
	} {
		m.item(fmt.Sprintf(`\fB%d\fR`, row.code), row.what)
	}
	return m.w.Flush()
}

// commands writes every command below parent that the help shows.
func (m manual) commands(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		m.line(`.SS "%s"`, roff(strings.TrimSuffix(c.UseLine(), " [flags]")))
		if c.Long != "" {
			m.text(c.Long)
		} else {
			m.text(strings.ToUpper(c.Short[:min(1, len(c.Short))]) + c.Short[min(1, len(c.Short)):] + ".")
		}
		m.flags(c.LocalNonPersistentFlags())
		if c.Example != "" {
			m.line(".PP\n.nf\n%s\n.fi", roff(c.Example))
		}
		m.commands(c)
	}
}

func (m manual) flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		tag := fmt.Sprintf(`\fB%s\fR`, roff("--"+f.Name))
		if f.Shorthand != "" {
			tag = fmt.Sprintf(`\fB%s\fR, `, roff("-"+f.Shorthand)) + tag
		}
		if value != "" {
			tag += fmt.Sprintf(` \fI%s\fR`, roff(value))
		}
		switch f.DefValue {
		case "", "false", "[]", "0", "0s":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		m.item(tag, usage)
	})
}

// item writes a tagged paragraph; the tag is roff already, the text is not.
func (m manual) item(tag, text string) {
	m.line(".TP\n%s\n%s", tag, roff(text))
}

// text writes paragraphs. A paragraph whose first line is indented keeps its
// lines, as in the help.
func (m manual) text(s string) {
	for i, paragraph := range strings.Split(strings.Trim(s, "\n"), "\n\n") {
		if i > 0 {
			m.line(".PP")
		}
		if strings.HasPrefix(paragraph, " ") {
			m.line(".nf\n%s\n.fi", roff(paragraph))
		} else {
			m.line("%s", roff(paragraph))
		}
	}
}

func (m manual) line(format string, args ...any) {
	_, _ = fmt.Fprintf(m.w, format+"\n", args...) // Flush tells
}

// roff protects text from being read as roff requests.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
