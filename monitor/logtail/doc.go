// Package logtail follows the logs of training jobs: files, directories with
// one file a rank, globs, and standard input.
//
// It looks by stat, not by notification, since logs live on NFS and Lustre; it
// survives truncation, rotation, replacement and recreation, waits for files
// that do not exist yet, and holds less than 8 MiB whatever the log. It opens
// a log for reading only, and of a process it looks at nothing but its list of
// open files.
//
// The lines of a log that had not changed for long when it was opened have the
// time of that change, not of the opening. Above a failure the stack that led to
// it is handed over too.
//
// It must not know what lines mean: a parser is handed to it. It imports
// monitor and the standard library alone.
package logtail
