package job

import (
	"encoding/json"
	"io"
	"sync"
)

// order is what a keeper is told first.
type order struct {
	Path  string   `json:"path,omitempty"` // of the program; empty: only move output
	Args  []string `json:"args,omitempty"`
	File  string   `json:"file,omitempty"` // name of the file for the output, which is descriptor fdFile
	Stdin bool     `json:"stdin"`          // descriptor fdStdin is the job's standard input
	Spare string   `json:"spare,omitempty"`
}

// The descriptors of a keeper.
const (
	fdControl = 3 + iota // orders come in
	fdEvents             // events go out
	fdData               // what the job writes goes out, as far as it is taken
	fdFile
	fdMaster // of the pseudo-terminal; without one, the job's standard output
	fdSlave  // without a pseudo-terminal, the job's standard error
	fdStdin
	fdFirstFree
)

// command is a later order.
type command struct {
	Do     string `json:"do"`
	Signal int    `json:"signal,omitempty"`
	To     target `json:"to,omitempty"`
	MS     int64  `json:"ms,omitempty"`
}

// The commands.
const (
	doSignal = "signal"
	doEnd    = "end"    // SIGTERM, then SIGKILL after MS
	doFlush  = "flush"  // tell when all that was written has been moved
	doDetach = "detach" // the monitor leaves, the job goes on
	doDone   = "done"   // the monitor leaves, the job has ended
)

// target is who gets a signal.
type target string

// The targets.
const (
	toJob   target = "job"
	toGroup target = "group" // its process group
	toFront target = "front" // the group in front of the terminal
)

// event is what a keeper tells.
type event struct {
	What   string `json:"what"`
	PID    int    `json:"pid,omitempty"`
	Code   int    `json:"code,omitempty"`
	Signal int    `json:"signal,omitempty"`
	Core   bool   `json:"core,omitempty"`
	Text   string `json:"text,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
}

// The events.
const (
	evStarted   = "started"
	evRefused   = "refused" // the job could not be started
	evStopped   = "stopped"
	evContinued = "continued"
	evEnded     = "ended"
	evFlushed   = "flushed" // Bytes were handed to the monitor in all
	evFile      = "file"    // output goes to the file Text
	evNoFile    = "nofile"  // it goes nowhere, for the reason Text
)

// lines writes one JSON object a line. A reader that is gone is no error.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lines) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return // only plain fields
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.w.Write(append(b, '\n'))
}
