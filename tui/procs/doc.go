// Package procs is the model of the process table: one row for every process on
// every device, joined from what the driver, the kernel and the allocators say;
// filtered, sorted, as a list, as a tree or by job.
//
// It is pure. It must not know how a table is drawn, which keys move in it, nor
// how to reach a process; text from outside leaves it clean, so that a filter
// matches what is on screen.
package procs
