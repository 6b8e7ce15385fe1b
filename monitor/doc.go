// Package monitor is the vocabulary of vramscope: what a sample of a machine
// is made of, which parts of it may be unknown and why, and the arithmetic of
// the gaps between the three layers.
//
// It holds values only. It must not know where they come from (drivers, /proc,
// files), how they are kept, or how they are drawn; it imports the standard
// library alone.
package monitor
