package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/scrub"
)

// commandLines tells the words of a process's command line.
type commandLines interface {
	commandLine(ctx context.Context, pid int) ([]string, error)
}

// facts are what does not change while a process runs one program.
type facts struct {
	gone  bool  // the PID went to another process, or to another program, while it was read
	image image // of the program that the facts are of

	command  string
	launcher bool
	uid      uint32
	uidKnown bool
	innerPID monitor.Reading[int]

	container monitor.Container
	settings  settings
	// environ is why the settings are unknown, empty when they are known.
	environ monitor.Reason
}

// The most that is read of files whose size a process or an administrator
// decides.
const (
	statusBytes  = 64 << 10
	cgroupBytes  = 64 << 10
	mountsBytes  = 512 << 10
	commandBytes = 4 << 10 // kept of a command line, after scrubbing
	wordsBytes   = 64 << 10
)

// reader reads the facts of one process. It is used by several goroutines and
// holds nothing that changes but wiped buffers.
type reader struct {
	root     string
	commands commandLines
	limits   limits
	buffers  *sync.Pool // for environments
}

func (r reader) path(pid int, file string) string {
	return r.root + "/" + strconv.Itoa(pid) + "/" + file
}

// facts reads everything about a process that was seen with these start
// ticks. Reading a command line or an environment can hang for as long as the
// process is stuck in the kernel, so this runs beside the sampling.
func (r reader) facts(seen stat) facts {
	var f facts
	pid := seen.pid
	if raw, err := readSmall(r.path(pid, "status"), statusBytes); err == nil {
		s := parseStatus(raw)
		f.uid, f.uidKnown = s.uid, s.uidKnown
		f.innerPID = innerPID(s)
	} else {
		why := reason(err, "the process's status")
		f.innerPID = monitor.Unknown[int](why.Code, why.Detail)
	}
	words, err := r.commands.commandLine(context.Background(), pid)
	if err == nil {
		f.command, f.launcher = command(words), isLauncher(words)
	}
	f.launcher = f.launcher || launchers[seen.name]
	f.container = r.container(pid)
	f.settings, f.environ = r.settings(seen)
	again, err := r.stat(pid, make([]byte, 1024))
	if err != nil || again.startTicks != seen.startTicks || again.image != seen.image {
		return facts{gone: true}
	}
	f.image = seen.image
	return f
}

// guarded is facts for a goroutine of its own, where a mistake in reading what a
// stranger wrote would end the whole program.
func (r reader) guarded(seen stat) (f facts) {
	defer func() {
		if what := recover(); what != nil {
			why := monitor.Reason{Code: monitor.Failed, Detail: fmt.Sprintf("reading about process %d went wrong inside the program: %v", seen.pid, what)}
			f = facts{image: seen.image, innerPID: monitor.Unknown[int](why.Code, why.Detail), settings: unknownSettings(why), environ: why,
				container: monitor.Container{LimitBytes: monitor.Unknown[int64](why.Code, why.Detail)}}
		}
	}()
	return r.facts(seen)
}

func innerPID(s status) monitor.Reading[int] {
	if n := len(s.namespacePIDs); n > 0 {
		return monitor.Known(s.namespacePIDs[n-1])
	}
	return monitor.Unknown[int](monitor.NotSupported, "the kernel does not tell PIDs of inner namespaces")
}

// command scrubs and cuts a command line. It is cut after scrubbing, since
// half a secret is not known as one.
func command(words []string) string {
	total := 0
	for i, word := range words {
		if total += len(word) + 1; total > wordsBytes {
			words = words[:i]
			break
		}
	}
	line := scrub.Command(words)
	if len(line) > commandBytes {
		line = line[:commandBytes]
	}
	return strings.ToValidUTF8(line, "\ufffd")
}

func (r reader) container(pid int) monitor.Container {
	raw, err := readSmall(r.path(pid, "cgroup"), cgroupBytes)
	if err != nil {
		why := reason(err, "the process's control group")
		return monitor.Container{LimitBytes: monitor.Unknown[int64](why.Code, why.Detail)}
	}
	groups := parseCgroup(string(raw))
	c := groups.container()
	if groups.hidden() {
		if mounts, err := readSmall(r.path(pid, "mountinfo"), mountsBytes); err == nil {
			c = containerOfMounts(string(mounts))
		}
	}
	c.LimitBytes = r.limits.of(groups)
	return c
}

func (r reader) settings(seen stat) (settings, monitor.Reason) {
	if seen.state == 'Z' {
		why := monitor.Reason{Code: monitor.Gone, Detail: "the process has ended, its environment is gone"}
		return unknownSettings(why), why
	}
	f, err := os.Open(r.path(seen.pid, "environ"))
	if err == nil {
		defer f.Close() //nolint:errcheck // read only
		var env environment
		buf := r.buffers.Get().(*[environBytes]byte)
		defer r.buffers.Put(buf)
		if env, err = parseEnviron(f, buf[:]); err == nil {
			return settingsOf(env), monitor.Reason{}
		}
	}
	why := reason(err, "its environment")
	return unknownSettings(why), why
}

// stat reads /proc/PID/stat into buf.
func (r reader) stat(pid int, buf []byte) (stat, error) {
	f, err := openFile(r.path(pid, "stat"))
	if err != nil {
		return stat{}, err
	}
	defer f.close()
	n, err := f.read(buf)
	if err != nil {
		return stat{}, err
	}
	return parseStat(buf[:n], "")
}

// reason turns an error into words and names the right that would help.
func reason(err error, what string) monitor.Reason {
	switch {
	case errors.Is(err, errOverwritten):
		return monitor.Reason{Code: monitor.NotAvailable, Detail: err.Error()}
	case errors.Is(err, fs.ErrPermission):
		return monitor.Reason{Code: monitor.NoPermission, Detail: what + " may be read by its owner alone, or with sudo or CAP_SYS_PTRACE"}
	case isGone(err):
		return monitor.Reason{Code: monitor.Gone, Detail: "the process ended while it was read"}
	}
	return monitor.Reason{Code: monitor.Failed, Detail: what + " cannot be read: " + err.Error()}
}

// isGone tells that a process is not there any more: its folder is gone, or it
// ended between opening and reading.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}

// readSmall reads a file up to a limit; what is beyond is left out.
func readSmall(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return io.ReadAll(io.LimitReader(f, limit))
}
