// Package picture turns lines of the screen, with their styles, into an SVG
// picture, for the documentation. The same lines give the same bytes.
//
// Nothing outside tests imports it.
package picture

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The size of a cell and the colours of the ground.
const (
	cellW, cellH = 8.4, 17.0
	margin       = 12.0
	ground       = "#16181d"
	ink          = "#d7dae0"
)

// sixteen are the colours that the picture's terminal has.
var sixteen = [16]string{
	"#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
	"#5c6370", "#ff7a85", "#b5e890", "#ffd88a", "#7cc4ff", "#dd8ff0", "#6fd3df", "#ffffff",
}

// look is how a cell is drawn.
type look struct {
	colour             string
	behind             string // what fills the cell, the ground when empty
	bold, dim, reverse bool
}

// cell is one column.
type cell struct {
	text string
	look look
}

// SVG returns the picture of lines on a terminal of that width.
func SVG(lines []string, width int, title string) string {
	var b strings.Builder
	w, h := float64(width)*cellW+2*margin, float64(len(lines))*cellH+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14" shape-rendering="crispEdges">`+"\n", w, h)
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"%g\" height=\"%g\" rx=\"6\" fill=\"%s\"/>\n", html.EscapeString(title), w, h, ground)
	for y, l := range lines {
		drawLine(&b, cells(l), margin+float64(y)*cellH)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// cells splits a line into columns.
func cells(line string) []cell {
	var out []cell
	var now look
	for len(line) > 0 {
		if strings.HasPrefix(line, "\x1b[") {
			end := strings.IndexByte(line, 'm')
			if end < 0 {
				break
			}
			now = now.with(line[2:end])
			line = line[end+1:]
			continue
		}
		text, width := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		if text == "" {
			break
		}
		out = append(out, cell{text, now})
		for range width - 1 {
			out = append(out, cell{"", now})
		}
		line = line[len(text):]
	}
	return out
}

// with returns the look after a style sequence.
func (l look) with(parameters string) look {
	fields := strings.Split(parameters, ";")
	for i := 0; i < len(fields); i++ {
		n, _ := strconv.Atoi(fields[i])
		switch {
		case n == 0:
			l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.dim = true
		case n == 7:
			l.reverse = true
		case n >= 30 && n <= 37:
			l.colour = sixteen[n-30]
		case n >= 90 && n <= 97:
			l.colour = sixteen[n-90+8]
		case n >= 40 && n <= 47:
			l.behind = sixteen[n-40]
		case (n == 38 || n == 48) && i+2 < len(fields):
			index, _ := strconv.Atoi(fields[i+2])
			if n == 38 {
				l.colour = of256(index)
			} else {
				l.behind = of256(index)
			}
			i += 2
		}
	}
	return l
}

// of256 returns a colour of the 256.
func of256(n int) string {
	switch {
	case n < 16:
		return sixteen[max(0, n)]
	case n < 232:
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// drawLine draws runs of cells of one look: block characters as shapes, so that
// they meet whatever the font, everything else as text.
func drawLine(b *strings.Builder, row []cell, top float64) {
	for x := 0; x < len(row); {
		end := x + 1
		for end < len(row) && row[end].look == row[x].look && isBlock(row[end].text) == isBlock(row[x].text) && (!isBlock(row[x].text) || row[end].text == row[x].text) {
			end++
		}
		drawRun(b, row[x:end], margin+float64(x)*cellW, top)
		x = end
	}
}

func drawRun(b *strings.Builder, run []cell, left, top float64) {
	l := run[0].look
	colour := l.colour
	if colour == "" {
		colour = ink
	}
	width := float64(len(run)) * cellW
	if l.reverse {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%g" fill="%s"/>`+"\n", left, top, width, cellH, colour)
		colour = ground
	}
	if l.behind != "" && l.behind != colour {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%g" fill="%s"/>`+"\n", left, top, width, cellH, l.behind)
	}
	if isBlock(run[0].text) {
		drawBlocks(b, []rune(run[0].text)[0], len(run), left, top, colour)
		return
	}
	var text strings.Builder
	for _, c := range run {
		text.WriteString(c.text)
	}
	s := strings.TrimRight(text.String(), " ")
	if s == "" {
		return
	}
	attributes := ""
	if l.bold {
		attributes += ` font-weight="bold"`
	}
	if l.dim {
		attributes += ` opacity="0.6"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" xml:space="preserve" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
		left, top+cellH*0.76, colour, float64(ansi.StringWidth(s))*cellW, attributes, html.EscapeString(s))
}

func isBlock(text string) bool {
	for _, r := range text {
		return r >= 0x2581 && r <= 0x2593 || r == 0x2594
	}
	return false
}

// drawBlocks draws n block characters beside each other.
func drawBlocks(b *strings.Builder, r rune, n int, left, top float64, colour string) {
	width, height, y, opacity := float64(n)*cellW, cellH, top, 1.0
	switch {
	case r <= 0x2588: // ▁ to █
		height = cellH * float64(r-0x2580) / 8
		y = top + cellH - height
	case r <= 0x258f: // ▉ to ▏
		width = float64(n-1)*cellW + cellW*float64(0x2590-r)/8
	case r == 0x2594: // ▔
		height = cellH / 8
	default: // ░ ▒ ▓
		opacity = []float64{0.28, 0.5, 0.75}[min(int(r-0x2591), 2)]
	}
	fmt.Fprintf(b, `<rect x="%.1f" y="%.2f" width="%.2f" height="%.2f" fill="%s"`, left, y, width, height, colour)
	if opacity < 1 {
		fmt.Fprintf(b, ` opacity="%g"`, opacity)
	}
	b.WriteString("/>\n")
}
