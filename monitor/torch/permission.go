package torch

import (
	"fmt"
	"strings"
)

// PtracerLine is the one line of Python that lets every process of the same
// user read a job under Yama's ptrace_scope 1: prctl(PR_SET_PTRACER,
// PR_SET_PTRACER_ANY) (Linux, admin-guide/LSM/Yama). The constant is "Yama" in
// ASCII; the argument must be a 64-bit −1, which a plain Python integer is not.
const PtracerLine = "import ctypes; ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)"

// Denial is why the memory of a process cannot be read and what would help.
type Denial struct {
	Why   string   // half a sentence
	Cures []string // cheapest first, never empty
}

// Denied explains why a process cannot be read by one with these rights: the
// checks of ptrace(2), "Ptrace access mode checking", in the order in which
// they decide.
func (s Self) Denied(t Owner) Denial {
	yama := s.Yama.Or(0)
	foreign := t.Known && t.UID != s.UID
	switch {
	case yama == 3:
		return Denial{"the kernel forbids it to everybody until the next boot (Yama ptrace_scope 3)", []string{cureLog}}
	case s.Ptrace:
		return Denial{"it runs in another user namespace, or a security policy (AppArmor, SELinux) forbids it", []string{cureLog, cureHost}}
	case foreign && s.UID == 0:
		cures := []string{cureLog}
		if yama == 0 {
			cures = append(cures, fmt.Sprintf("run vramscope as user %d (docker exec -u %d)", t.UID, t.UID))
		}
		return Denial{fmt.Sprintf("it belongs to user %d and %s lacks the capability SYS_PTRACE", t.UID, s.here()), append(cures, cureHost, cureAdd)}
	case foreign:
		return Denial{fmt.Sprintf("it belongs to user %d", t.UID), []string{cureLog, s.asRoot()}}
	case yama == 2:
		return Denial{"the kernel allows it to administrators only (Yama ptrace_scope 2)", append([]string{cureLog}, s.withRight()...)}
	case yama == 1 && t.Mapped && s.UID == 0:
		return Denial{"the kernel allows it for a program's own children only (Yama ptrace_scope 1) and " + s.here() + " lacks the capability SYS_PTRACE",
			[]string{cureLog, cureRun, cureHost, cureLine, cureAdd}}
	case yama == 1 && t.Mapped:
		cures := []string{cureLog, cureRun, s.asRoot(), cureLine}
		return Denial{"the kernel allows it for a program's own children only (Yama ptrace_scope 1)", append(cures, s.withRight()[1:]...)}
	case s.UID == 0:
		return Denial{s.here() + " lacks the capability SYS_PTRACE", []string{cureLog, cureHost, cureAdd}}
	}
	return Denial{"the process is protected (not dumpable)", append([]string{cureLog}, s.withRight()...)}
}

// Owner is what is known of the process that cannot be read.
type Owner struct {
	UID   int
	Known bool // UID is
	// Mapped says that its mappings could be read, which Yama does not forbid.
	Mapped bool
}

const (
	cureLog    = "follow its log with --log FILE"
	cureRun    = "start the job with vramscope run"
	cureHost   = "run vramscope on the host as root (the container needs nothing)"
	cureSudo   = "run vramscope with sudo"
	cureLine   = "let the job allow it with this line: " + PtracerLine
	cureAdd    = "start the container with --cap-add SYS_PTRACE"
	cureSetcap = "give the program the right (setcap cap_sys_ptrace+ep on the vramscope file)"
)

// here is what root lacks a capability in.
func (s Self) here() string {
	if s.Nested {
		return "this container"
	}
	return "this process"
}

// asRoot is the way to become root from here.
func (s Self) asRoot() string {
	if s.Nested {
		return cureHost
	}
	return cureSudo
}

// withRight are the ways to the capability, cheapest first. A file cannot give
// a capability that the container does not have (capabilities(7), bounding
// set), so inside one setcap would only keep the program from starting.
func (s Self) withRight() []string {
	if s.Nested {
		return []string{cureHost, cureAdd}
	}
	return []string{cureSudo, cureSetcap}
}

// maxCuresInRow is how many cures a row's sentence names; the sources page and
// `vramscope doctor` have the rest.
const maxCuresInRow = 3

// sentence joins a denial into what a row says.
func (d Denial) sentence(what string) string {
	cures := d.Cures[:min(len(d.Cures), maxCuresInRow)]
	text := what + ": " + d.Why + "; " + strings.Join(cures, ", or ")
	if len(cures) < len(d.Cures) {
		text += " ('vramscope doctor' names more ways)"
	}
	return text
}

// reasonDenied says why the memory of a process cannot be read and what helps,
// the cheapest first. found says that PyTorch was seen in the process.
func (r *Reader) reasonDenied(pid int, found bool) string {
	what := "PyTorch found, but reading its memory is not permitted"
	if !found {
		what = "whether this process uses PyTorch cannot be seen"
	}
	uid, known := r.proc.owner(pid)
	return r.rights.Denied(Owner{UID: uid, Known: known, Mapped: found}).sentence(what)
}
