// Package text prepares words and figures for a terminal: everything gets a
// fixed width so that columns never move.
//
// It is pure. It must not know where a text comes from, what colour it gets or
// where it stands on the screen.
package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/monitor/clean"
)

// ASCII replaces every character outside printable ASCII by question marks of
// the same display width, for terminals that can show nothing else. It cleans
// first.
func ASCII(s string) string {
	s = clean.Line(s)
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if cluster == "" {
			break
		}
		s = s[len(cluster):]
		if isPlain(cluster) {
			b.WriteString(cluster)
			continue
		}
		b.WriteString(strings.Repeat("?", width))
	}
	return b.String()
}

// isPlain tells text that is printable ASCII already.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
