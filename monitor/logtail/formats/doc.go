// Package formats understands the lines that training jobs print about their
// GPU memory: who printed it, which of the allocator's counters it is, in
// which unit, of which rank, at which step; and the many texts of an
// out-of-memory failure.
//
// It is an engine with a small table beside it. The engine cuts a line into
// words, numbers and units, pairs every number with the words before or after
// it, and types the pair by its words, whatever stands in front of it. The
// table (frames, one file per family of producers) holds only what the words
// of a producer do not say: that "memory" without a noun is a peak, that "GB"
// divides by 1024³, that a figure without a unit counts MiB. Adding a family
// is a frame and a test.
//
// Most lines say nothing of this, so they are left early: by their words
// (scan.go, wordset.go), by the texts that stand in them (anchor.go), and for having nothing
// that can be a size (sizes.go). A line that none of these lets through is never
// cut up.
//
// A parser belongs to one log. What it learns (the divisor behind a bare "GB",
// an open table, the last step) is causal: a reading once given is not
// rewritten, so a log that is followed and the same log at rest read the same.
//
// The package is pure. It must not know where lines come from, what the
// machine has, or what is done with a reading; it imports monitor and the
// standard library alone.
package formats
