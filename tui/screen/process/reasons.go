package process

import (
	"strings"

	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// reasons are why facts are missing, for which their columns have no room. One
// reason often holds for several.
type reasons struct {
	texts []string
	names map[string][]string
}

func (r *reasons) add(name, text string) {
	if r.names == nil {
		r.names = map[string][]string{}
	}
	if _, said := r.names[text]; !said {
		r.texts = append(r.texts, text)
	}
	r.names[text] = append(r.names[text], name)
}

// lines draws each reason in full, with the names of what it holds for.
func (r *reasons) lines(st *screen.State, width int) []string {
	const indent, most = 2, 4
	var out []string
	for _, text := range r.texts {
		sentence := st.Theme.Glyphs.Unknown + " " + strings.Join(r.names[text], ", ") + ": " + text
		for i, part := range line.Wrap(sentence, max(1, width-2*indent), most, st.Theme.Glyphs.Ellipsis) {
			l := line.New(width, st.Theme)
			l.Space(indent)
			if i > 0 {
				l.Space(indent)
			}
			l.Add(st.Theme.Style(theme.Dim), part)
			out = append(out, l.String())
		}
	}
	return out
}
