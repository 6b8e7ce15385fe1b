package formats

// notes is what a producer says once and its later lines need.
type notes struct {
	yoloDivisor  int   // of Ultralytics' "G", from the version in its banner; 0 when not seen
	fairseqTotal int64 // capacity of fairseq's devices, from its banner
	trainedAt    int64 // line, of those that matter, of litgpt's "Training time:", 0 when none
	inferredAt   int64 // line of litgpt's "Time for inference"
}
