// Package process is the screen of one process: its layers on each device, the
// gaps between them, what its allocator counts, and what surrounds it.
//
// It shows what packages monitor and procs offer and must not know how any of
// it was read.
package process
