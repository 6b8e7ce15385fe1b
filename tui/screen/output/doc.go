// Package output is the page with what a job prints that runs under the program:
// a pane that holds the newest lines as a terminal would show them, how the job
// is, and a line to type to it.
//
// It must not know how the job was started or how its output gets here.
package output
