package advisor

// Stages reports whether a line announces a stage.
func Stages(line string) bool {
	p, ok := phaseOf(short(line))
	return ok && p == phaseStage
}
