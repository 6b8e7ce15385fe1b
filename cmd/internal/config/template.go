package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// entry is one key of the template.
type entry struct {
	key, comment, standard string               // standard is the default as it is written in TOML
	value                  func(f *File) string // "" when the file does not have it
}

// entries is every key in the order of the template.
func entries() []entry {
	return []entry{
		{"interval", "Time between samples, 100ms to 60s.", `"1s"`, func(f *File) string {
			if f.Interval == nil {
				return ""
			}
			return strconv.Quote(time.Duration(*f.Interval).String())
		}},
		{"log", "Training logs to follow: files, directories, patterns.", `["train.log"]`, func(f *File) string { return list(f.Log) }},
		{"no-log", "Read no training log.", "false", func(f *File) string { return boolean(f.NoLog) }},
		{"log-format", "The format of your own prints: a regular expression with named groups of\n# allocated, reserved, max_allocated, max_reserved, unit, rank, gpu, step.", `'mem (?P<allocated>[0-9.]+)/(?P<reserved>[0-9.]+) (?P<unit>\w+)'`, func(f *File) string { return word(f.LogFormat) }},
		{"gpu", "Show only these GPUs, by index.", "[0, 1]", func(f *File) string { return numbers(f.GPU) }},
		{"pid", "Show only these processes.", "[4711]", func(f *File) string { return numbers(f.PID) }},
		{"theme", "Colours: terminal, dark, light, high-contrast, colour-blind, mono.", `"terminal"`, func(f *File) string { return word(f.Theme) }},
		{"ascii", "Draw with ASCII only.", "false", func(f *File) string { return boolean(f.ASCII) }},
		{"mouse", "Take mouse clicks. Off, the terminal's own selection works without shift.", "true", func(f *File) string { return boolean(f.Mouse) }},
		{"bell", "Ring on a new critical finding.", "false", func(f *File) string { return boolean(f.Bell) }},
		{"read-only", "Never send a signal to a process.", "false", func(f *File) string { return boolean(f.ReadOnly) }},
		{"screen-reader", "Print changes as lines instead of drawing a screen.", "false", func(f *File) string { return boolean(f.ScreenReader) }},
		{"on-finding", "Program and arguments to run on a new critical finding, without a shell.\n# The finding comes as JSON on its standard input.", `["notify-send", "vramscope"]`, func(f *File) string { return list(f.OnFinding) }},
		{"debug-log", "Write what goes wrong inside the program to this file, at most 2 MiB; auto:\n# vramscope/debug.log in XDG_STATE_HOME or ~/.local/state.", `"auto"`, func(f *File) string { return word(f.DebugLog) }},
		{"columns", "Columns of the process table, in this order.", `["pid", "user", "gpu", "rank", "alloc", "reserved", "used", "nontorch", "host", "cpu", "time", "command"]`, func(f *File) string { return list(f.Columns) }},
		{"sort", "Column that the process table is sorted by; empty: by device.", `""`, func(f *File) string { return word(f.Sort) }},
		{"reverse", "Sort the other way round.", "false", func(f *File) string { return boolean(f.Reverse) }},
		{"tree", "Show children under their parents.", "false", func(f *File) string { return boolean(f.Tree) }},
		{"group", "Show the ranks of one job under a line of sums.", "false", func(f *File) string { return boolean(f.Group) }},
	}
}

// Keys returns every key in order.
func Keys() []string {
	var out []string
	for _, e := range entries() {
		out = append(out, e.key)
	}
	return out
}

// Template returns the text of a file: every key with what it means, those that
// f does not have as comments with their default.
func Template(f File) string {
	var b strings.Builder
	b.WriteString("# vramscope's configuration. A flag wins over the environment (VRAMSCOPE_…),\n# the environment over this file. Keys are named as the flags are.\n")
	for _, e := range entries() {
		fmt.Fprintf(&b, "\n# %s\n", e.comment)
		if v := e.value(&f); v != "" {
			fmt.Fprintf(&b, "%s = %s\n", e.key, v)
		} else {
			fmt.Fprintf(&b, "# %s = %s\n", e.key, e.standard)
		}
	}
	return b.String()
}

func boolean(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

func word(s *string) string {
	if s == nil {
		return ""
	}
	return quote(*s)
}

// quote writes a basic string of TOML.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func list(all []string) string {
	if all == nil {
		return ""
	}
	quoted := make([]string, len(all))
	for i, s := range all {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func numbers(all []int) string {
	if all == nil {
		return ""
	}
	out := make([]string, len(all))
	for i, n := range all {
		out[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
