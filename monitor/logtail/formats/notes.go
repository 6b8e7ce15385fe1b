package formats

// notes is what a producer says once and its later lines need.
type notes struct {
	yoloDivisor  int   // of Ultralytics' "G", from the version in its banner; 0 when not seen
	fairseqTotal int64 // capacity of fairseq's devices, from its banner
	trainedAt    int64 // line, of those that matter, of litgpt's "Training time:", 0 when none
	whole        whole // the last number that a counter was given over, as in "9.4GB / 15.84GB"
	inferredAt   int64 // line of litgpt's "Time for inference"
}

// whole is what a figure was printed as a part of.
type whole struct {
	value float64
	unit  unit
	of    counter
}
