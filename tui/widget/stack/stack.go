// Package stack says what a cell of the screen shows of three layers that are
// piled up in it, when a cell has room for two colours.
//
// It must not know whether a pile stands upright or lies, nor how a cell is
// drawn.
package stack

import "github.com/vramscope/vramscope/tui/theme"

// Eighths is how finely a cell can be filled.
const Eighths = 8

// Layers lists the layers from the innermost to the widest, the order of Ends.
func Layers() [3]theme.Layer {
	return [...]theme.Layer{theme.LayerAllocated, theme.LayerReserved, theme.LayerUsed}
}

// Ends is where each layer ends, in eighths of a cell from zero, in the order
// of Layers. No layer ends before the one inside it.
type Ends [3]int

// EndsOf makes ends of lengths: a layer that is shorter than the one inside it,
// which happens where they were read at different moments, has no part of its
// own.
func EndsOf(lengths [3]int) (e Ends) {
	inner := 0
	for i, length := range lengths {
		inner = max(inner, length)
		e[i] = inner
	}
	return e
}

// Cell is how one cell is filled: as many eighths as Part by one layer and, if
// Over is set, the rest by another.
type Cell struct {
	Part  int // 0 for an empty cell
	Layer theme.Layer
	Over  bool
	Upper theme.Layer
}

// Cell returns the cell that begins that many eighths from zero. The innermost
// layer in it always shows, and beside it the larger part of the others. Where
// the pile ends within the cell there is room for one colour: that of the layer
// which has most of it.
func (e Ends) Cell(begin int) Cell {
	var parts [3]int
	filled := 0
	for i, end := range e {
		parts[i] = max(0, min(end-begin, Eighths)-filled)
		filled += parts[i]
	}
	if filled == 0 {
		return Cell{}
	}
	layers, first := Layers(), 0
	for parts[first] == 0 {
		first++
	}
	if filled < Eighths {
		return Cell{Part: filled, Layer: layers[largest(parts, first)]}
	}
	c := Cell{Part: parts[first], Layer: layers[first]}
	if c.Part < Eighths {
		c.Over, c.Upper = true, layers[largest(parts, first+1)]
	}
	return c
}

// largest returns the largest of the parts from that one on, of equal ones the
// widest layer's.
func largest(parts [3]int, from int) int {
	most := from
	for i := from; i < len(parts); i++ {
		if parts[i] >= parts[most] {
			most = i
		}
	}
	return most
}
