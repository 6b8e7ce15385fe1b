package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// bottom is what takes the place of the line of keys: a prompt, a question, or
// a sentence that goes with the next key.
type bottom struct {
	prompt  *screen.Prompt
	text    []rune // of the prompt
	at      int    // of the cursor in it
	confirm *screen.Confirm
	choose  *screen.Choose
	said    string
	role    theme.Role
}

// asking tells that keys belong to the line and not to the screen.
func (b *bottom) asking() bool { return b.prompt != nil || b.confirm != nil || b.choose != nil }

func (b *bottom) say(text string, role theme.Role) { b.said, b.role = text, role }

func (b *bottom) ask(a screen.Ask) {
	*b = bottom{}
	switch a := a.(type) {
	case screen.Prompt:
		b.prompt, b.text = &a, []rune(a.Text)
		b.at = len(b.text)
	case screen.Confirm:
		b.confirm = &a
	case screen.Choose:
		b.choose = &a
	default:
	}
}

// maxPrompt bounds what can be written, in characters.
const maxPrompt = 200

func (b *bottom) insert(text string) {
	if b.prompt == nil {
		return
	}
	add := []rune(text)
	if len(b.text)+len(add) > maxPrompt {
		return
	}
	b.text = append(b.text[:b.at:b.at], append(add, b.text[b.at:]...)...)
	b.at += len(add)
	b.changed()
}

func (b *bottom) changed() {
	if b.prompt.Changed != nil {
		b.prompt.Changed(string(b.text))
	}
}

// key acts on a key while the line asks something. It returns what is to be
// done then.
func (b *bottom) key(msg tea.KeyPressMsg, clean func(string) string) screen.Ask {
	switch {
	case b.prompt != nil:
		return b.edit(msg, clean)
	case b.confirm != nil:
		yes := b.confirm.Yes
		*b = bottom{}
		if msg.String() == "y" || msg.String() == "Y" {
			return yes()
		}
		b.say("Nothing was done.", theme.Dim)
	case b.choose != nil:
		options := b.choose.Options
		*b = bottom{}
		for _, o := range options {
			if msg.String() == o.Key {
				return o.Pick()
			}
		}
	}
	return nil
}

func (b *bottom) edit(msg tea.KeyPressMsg, clean func(string) string) screen.Ask {
	p := b.prompt
	switch msg.String() {
	case "enter":
		text := string(b.text)
		*b = bottom{}
		if p.Done != nil {
			return p.Done(text)
		}
	case "esc", "ctrl+c", "ctrl+g":
		*b = bottom{}
		if p.Changed != nil {
			p.Changed(p.Text)
		}
	case "backspace", "ctrl+h":
		b.cut(b.at-1, b.at)
	case "delete", "ctrl+d":
		b.cut(b.at, b.at+1)
	case "ctrl+u":
		b.cut(0, b.at)
	case "ctrl+k":
		b.cut(b.at, len(b.text))
	case "ctrl+w":
		from := b.at
		for from > 0 && b.text[from-1] == ' ' {
			from--
		}
		for from > 0 && b.text[from-1] != ' ' {
			from--
		}
		b.cut(from, b.at)
	case "left":
		b.at = max(0, b.at-1)
	case "right":
		b.at = min(len(b.text), b.at+1)
	case "home", "ctrl+a":
		b.at = 0
	case "end", "ctrl+e":
		b.at = len(b.text)
	default:
		b.insert(clean(msg.Text))
	}
	return nil
}

func (b *bottom) cut(from, to int) {
	from, to = max(0, from), min(len(b.text), to)
	if from >= to {
		return
	}
	b.text = append(b.text[:from:from], b.text[to:]...)
	b.at = from
	b.changed()
}

// draw returns the lines at the bottom; none when the line of keys stays.
func (b *bottom) draw(th *theme.Theme, width int) []string {
	l := line.New(width, th)
	switch {
	case b.prompt != nil:
		b.drawPrompt(l, th)
	case b.confirm != nil:
		return b.drawConfirm(th, width)
	case b.choose != nil:
		return b.drawChoose(th, width)
	case b.said != "":
		return paragraph(b.said, th.Style(b.role), width, th.Glyphs.Ellipsis)
	default:
		return nil
	}
	return []string{l.String()}
}

// saidLines is how many lines a sentence may take: what helps often stands at
// its end.
const saidLines = 3

func paragraph(text string, style theme.Style, width int, ellipsis string) []string {
	parts := line.Wrap(text, width, saidLines, ellipsis)
	for i, part := range parts {
		parts[i] = style.Paint(part)
	}
	return parts
}

// drawChoose draws the question and its answers, in lines of their own where one
// has no room for both.
func (b *bottom) drawChoose(th *theme.Theme, width int) []string {
	need := line.Width(b.choose.Question)
	for _, o := range b.choose.Options {
		need += 3 + line.Width(o.Key) + line.Width(o.Label)
	}
	var out []string
	l := line.New(width, th)
	if need <= width {
		l.Add(th.Style(theme.Strong), b.choose.Question)
		l.Space(2)
	} else {
		for _, part := range line.Wrap(b.choose.Question, width, 3, th.Glyphs.Ellipsis) {
			out = append(out, th.Style(theme.Strong).Paint(part))
		}
	}
	for i, o := range b.choose.Options {
		if i > 0 {
			l.Space(2)
		}
		l.Add(th.Style(theme.Key), o.Key)
		l.Add(th.Style(theme.Plain), " "+o.Label)
	}
	return append(out, l.String())
}

// drawConfirm draws a rule, the sentences, and the question.
func (b *bottom) drawConfirm(th *theme.Theme, width int) []string {
	out := []string{th.Style(theme.Warn).Paint(strings.Repeat(th.Glyphs.Rule, width))}
	last := len(b.confirm.Lines) - 1
	for i, text := range b.confirm.Lines {
		role := theme.Plain
		if i == last {
			role, text = theme.Warn, text+" y/n"
		}
		for _, part := range line.Wrap(text, width, 3, th.Glyphs.Ellipsis) {
			out = append(out, th.Style(role).Paint(part))
		}
	}
	return out
}

func (b *bottom) drawPrompt(l *line.Line, th *theme.Theme) {
	l.Add(th.Style(theme.Key), line.Cut(b.prompt.Label, max(1, l.Left()/2), th.Glyphs.Ellipsis))
	l.Space(1)
	before, under, after := string(b.text[:b.at]), " ", ""
	if b.at < len(b.text) {
		under, after = string(b.text[b.at]), string(b.text[b.at+1:])
	}
	// The cursor stays in sight: what is far before it goes first.
	for line.Width(before) > max(0, l.Left()-2) && before != "" {
		_, n := utf8.DecodeRuneInString(before)
		before = before[n:]
	}
	l.Add(theme.Style{}, before)
	if l.Left() > 0 {
		l.Add(th.Style(theme.Selected), under)
	}
	if after != "" && l.Left() > 0 {
		l.Add(theme.Style{}, line.Cut(after, l.Left(), th.Glyphs.Ellipsis))
	}
	if hint := b.prompt.Hint; hint != "" && strings.TrimSpace(after) == "" && l.Left() > line.Width(hint)+3 {
		l.Space(3)
		l.Add(th.Style(theme.Dim), hint)
	}
}
