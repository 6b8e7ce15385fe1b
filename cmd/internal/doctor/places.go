package doctor

import (
	"fmt"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

const (
	cureHostPIDs = "run vramscope on the host"
	cureSamePIDs = "start the container with --pid=host (Kubernetes: hostPID: true)"
	cureHostProc = "mount the host's /proc into the container and name it with --host-proc"
)

// pids says whether the processes that the driver means can be told from here.
func (f *Facts) pids() Check {
	nested, known := f.NestedPIDs.Get()
	foreign, unknown, assumed := 0, 0, 0
	for _, h := range f.Sample.Holders {
		switch {
		case !h.InNamespace:
			foreign++
		case h.Assumed:
			assumed++
		case !h.UsedBytes.Known():
			unknown++
		}
	}
	hidden := f.hiddenUse()
	if !nested {
		where := "the machine's first PID namespace: the driver's processes can all be named"
		if !known {
			where = "it cannot be told whether this is a PID namespace of its own (no /proc/self/ns)"
		}
		if foreign > 0 {
			return lacking(IDPIDs, Partial, fmt.Sprintf("%s listed by the driver cannot be seen in /proc (hidden, or just ended)", plural(foreign, "process")),
				"run vramscope as root")
		}
		return good(IDPIDs, where)
	}
	said := []string{"this is a container's PID namespace" + f.regime(foreign, unknown)}
	cures := []string{cureHostPIDs, cureSamePIDs, cureHostProc}
	if f.HostProc != "" {
		said[0] = "this is a container's PID namespace, seen through the host's " + f.HostProc + f.regime(foreign, unknown)
		cures = cures[:2]
	}
	if assumed > 0 {
		said = append(said, fmt.Sprintf("%s is the only one here with that GPU open, so the memory is given to it and marked assumed", plural(assumed, "process")))
	}
	if hidden != "" {
		said = append(said, hidden)
	}
	if foreign+unknown+assumed == 0 && hidden == "" {
		return good(IDPIDs, strings.Join(said, "; ")+": all memory in use is accounted for by the processes listed")
	}
	return lacking(IDPIDs, Partial, strings.Join(said, "; "), cures...)
}

// regime says in which of the three ways the driver answers in a container.
func (f *Facts) regime(foreign, unknown int) string {
	switch {
	case foreign > 0:
		return fmt.Sprintf(", and the driver lists the host's numbers: %s cannot be named here", plural(foreign, "process"))
	case unknown > 0:
		return ", and the driver names its processes without their memory (drivers 550 to 560, WSL, MIG without the right)"
	case len(f.Sample.Holders) > 0:
		return ", and the driver lists its processes with their memory"
	}
	return ""
}

// hiddenUse names the memory in use that nobody here is known to hold.
func (f *Facts) hiddenUse() string {
	var said []string
	for i := range f.Sample.GPUs {
		g := &f.Sample.GPUs[i]
		if n, ok := g.UnseenBytes.Get(); ok && n >= monitor.UnseenFrom {
			said = append(said, fmt.Sprintf("GPU %d: others %s, not visible from this PID namespace", g.Index, size(n)))
		}
	}
	return strings.Join(said, "; ")
}

func (f *Facts) users() Check {
	nested, known := f.NestedUsers.Get()
	switch {
	case !known:
		return good(IDUsers, "the kernel does not tell user namespaces")
	case nested:
		return lacking(IDUsers, Partial, "this is a user namespace of its own: rights here do not reach processes outside of it", "run vramscope on the host, outside of rootless containers")
	}
	return good(IDUsers, "the machine's first user namespace")
}

func (f *Facts) proc() Check {
	state, reason := f.source("proc")
	switch {
	case f.Hidden && f.Self.UID != 0:
		return lacking(IDProc, Partial, "/proc hides the processes of other users (hidepid)", "run vramscope as the job's user", "run it with sudo", "join the group of the mount's gid option")
	case state == "" || state == "ok":
		return good(IDProc, "processes, their owners and settings can be read")
	case state == "unavailable":
		return lacking(IDProc, Unavailable, reason, "mount a proc file system")
	}
	return lacking(IDProc, Partial, reason, "run vramscope as the job's user", "run it with sudo")
}

func (f *Facts) log() Check {
	switch {
	case f.NoLog:
		return lacking(IDLog, Unavailable, "reading a log was switched off with --no-log", "leave out --no-log")
	case f.LogError != "":
		return lacking(IDLog, Unavailable, f.LogError, "give a file that can be read by this user")
	}
	state, reason := f.source("log")
	const cure = "let the job write to a file (python train.py > train.log 2>&1) and name it with --log FILE"
	switch {
	case state == "ok" && len(f.LogNames) > 0:
		return good(IDLog, "following "+strings.Join(f.LogNames, ", "))
	case state == "ok":
		return good(IDLog, "a log that the job has open is followed")
	case state == "":
		return lacking(IDLog, Unavailable, "no log was looked for", cure)
	case len(f.Jobs) == 0 && len(f.LogNames) == 0:
		return good(IDLog, "no job here has a log to follow; it is found by itself when one starts")
	}
	out := lacking(IDLog, Unavailable, reason, cure)
	if state != "unavailable" {
		out.State = Partial
	}
	return out
}
