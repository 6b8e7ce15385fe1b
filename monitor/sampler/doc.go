// Package sampler asks the sources of a machine at a steady pace, survives
// those that hang or panic, and merges their answers into samples.
//
// It must not know what a source reads or how; it joins what they say by rules
// of its own (join.go) and marks every such figure as coming from a log or
// from an assumption.
package sampler
