// Package job starts a program under the monitor and lives with it: its
// terminal, its signals, its output and its end.
//
// On a screen the job does not run under the monitor directly. A keeper, which
// is this program started again in a session of its own, starts the job on a
// pseudo-terminal, moves its output to a file and to the monitor, and reaps
// it. The monitor may be suspended, killed or lose its terminal; the keeper
// holds the pseudo-terminal open, so that no SIGHUP and no full buffer reaches
// the job. The monitor stays an ancestor of the job and of all that the job
// starts, which is what Yama asks for to read a process's memory.
//
// Without a screen (Plain) the job is a child like that of a shell: same
// process group, same standard streams, nothing between.
//
// This is where jobs are started; the program of --on-finding, which is no job,
// is cmd/internal/cli's. It must not know what the job
// is, what its output means, or how anything is drawn.
package job
