package signal

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
)

// Target returns the process that a signal to a row goes to: the row's own, or
// for a job what started its ranks. The error says why there is none.
func Target(r *procs.Row) (monitor.ProcessKey, error) {
	key := r.ID.Process
	if r.ID.IsJob() {
		if r.Process == nil {
			return monitor.ProcessKey{}, fmt.Errorf("%w: what started this job cannot be seen here; choose one of its processes", ErrRefused)
		}
		key = r.Process.Key()
	}
	switch {
	case r.ID.Outside:
		return monitor.ProcessKey{}, fmt.Errorf("%w: number %d belongs to another PID namespace and names no process here", ErrRefused, key.PID)
	case key.PID == 0:
		return monitor.ProcessKey{}, fmt.Errorf("%w: the log does not tell which process it is", ErrRefused)
	}
	return key, check(key)
}

// check refuses what must never get a signal.
func check(key monitor.ProcessKey) error {
	switch {
	case key.PID <= 1:
		return fmt.Errorf("%w: PID %d is no process to signal", ErrRefused, key.PID)
	case key.StartTicks == 0:
		return fmt.Errorf("%w: the start time of PID %d is not known, so it could be another process by now", ErrRefused, key.PID)
	}
	return nil
}

// Confirmation returns what to ask before a signal is sent: one sentence a
// line, the question last. It names the process and says when it belongs to
// another user or is one of several ranks. The row's texts are clean already.
func Confirmation(r *procs.Row, s Signal, myUser string) []string {
	out := []string{fmt.Sprintf("%s to %s.", s, describe(r)), sentence(s.Effect())}
	if r.Process == nil {
		out = append(out, "Whose process it is could not be read.")
	} else if user := userOf(r); user == "" {
		out = append(out, "Whose process it is is not known.")
	} else if user != myUser {
		out = append(out, fmt.Sprintf("It belongs to %s, not to you (%s).", user, orUnknown(myUser)))
	}
	out = append(out, jobLines(r)...)
	if r.Process != nil && r.Process.State == "Z" {
		out = append(out, "It has ended already and waits for its parent; a signal does nothing.")
	}
	if s == Kill {
		out = append(out, "Work since the last checkpoint is lost.")
	}
	return append(out, "Send "+s.String()+"?")
}

// userOf returns the owner of the process that gets the signal.
func userOf(r *procs.Row) string {
	if r.ID.IsJob() {
		return procs.CleanUser(r.Process)
	}
	return r.User
}

// describe names the process that gets the signal.
func describe(r *procs.Row) string {
	pid := r.ID.Process.PID
	if r.ID.IsJob() && r.Process != nil {
		pid = r.Process.PID
	}
	parts := []string{"PID " + strconv.Itoa(pid)}
	if r.Command != "" {
		parts = append(parts, "("+shorten(r.Command)+")")
	}
	if user := r.Process; user != nil && userOf(r) != "" {
		parts = append(parts, "of "+userOf(r))
	}
	if gpu, ok := r.GPU.Get(); ok && !r.ID.IsJob() {
		parts = append(parts, "on GPU "+strconv.Itoa(gpu))
	}
	return strings.Join(parts, " ")
}

// jobLines says what else ends with the process.
func jobLines(r *procs.Row) []string {
	var out []string
	switch job := r.Job; {
	case job == nil:
	case job.Ranks == 1:
		out = append(out, fmt.Sprintf("It is one process that is a job of its own: %s.", job.Size()))
	case r.ID.IsJob():
		out = append(out, fmt.Sprintf("It started a job of %s, all of which it concerns.", job.Size()))
	default:
		which := "It is one of"
		if rank, ok := r.Rank.Get(); ok {
			which = fmt.Sprintf("It is rank %d of", rank)
		}
		out = append(out, fmt.Sprintf("%s a job of %s; the others usually fail or hang without it.", which, job.Size()))
	}
	if r.Workers > 0 && !r.ID.IsJob() {
		out = append(out, fmt.Sprintf("Processes that it started, such as DataLoader workers, and that usually end with it: %d.", r.Workers))
	}
	return out
}

const commandLetters = 60

// shorten cuts a command line to what a question has room for.
func shorten(s string) string {
	letters := []rune(s)
	if len(letters) <= commandLetters {
		return s
	}
	return string(letters[:commandLetters]) + "..."
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func orUnknown(user string) string {
	if user == "" {
		return "user not known"
	}
	return user
}
