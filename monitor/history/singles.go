package history

// Singles returns the values of one figure at each of the window's Times, NaN
// where there is none; nil when the key is not known. It is the cheap way to
// read a whole series where all of a window is kept singly.
func (w Window) Singles(key Key) []float64 {
	t, column, ok := find(w.things, key)
	if !ok {
		return nil
	}
	out := make([]float64, len(w.Times))
	for i := range out {
		out[i] = t.single(w.rings.singles.slot(i), column)
	}
	return out
}
