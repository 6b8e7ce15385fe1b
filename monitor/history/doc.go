// Package history keeps what a machine's memory did in a fixed amount of
// memory: the newest samples one by one, older ones folded into buckets of
// minimum, maximum and last value, and the time in which nothing was read as
// an explicit gap.
//
// It is pure: no clock, no files, no goroutines. Time comes in with the
// samples. It must not know where samples come from, what a screen looks like
// or what is wrong with a job. A Store belongs to one goroutine; a Window
// taken from it is a copy that any goroutine may read.
package history
