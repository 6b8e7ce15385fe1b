package doctor

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/proc"
	"github.com/vramscope/vramscope/monitor/torch"
)

// Facts is everything that the checks judge.
type Facts struct {
	Sample monitor.Sample // one reading of all sources
	Driver Driver
	Self   torch.Self
	// ReadvRefused says that process_vm_readv is missing or filtered, which
	// reading one's own memory shows.
	ReadvRefused bool
	NestedPIDs   monitor.Reading[bool] // in a PID namespace of its own
	NestedUsers  monitor.Reading[bool] // in a user namespace of its own
	HostProc     string                // the host's proc file system, when one was named
	Hidden       bool                  // proc is mounted with hidepid
	Own          proc.Resources        // of this process
	Container    Container
	Shm          monitor.Reading[proc.Space]
	LogNames     []string // given with --log
	LogError     string   // why one of them cannot be used
	NoLog        bool     // --no-log
	Terminal     Terminal
	Xids         []Xid // newest last; nil also when the kernel log may not be read
	Jobs         []JobFacts
}

// Driver is how the driver's library stands.
type Driver struct {
	Err  error // why it is not in use, nil when it is
	Cure string
	// Unwatched is why the driver's events are not told as they happen; nil when
	// they are.
	Unwatched error
}

// Container is what is known of the container that this program runs in. Empty
// fields are not known.
type Container struct {
	Runtime, ID string
	Name        string // the runtime's name, or the host name that it gave
	Image       string
}

// Terminal is where the live screen would be drawn.
type Terminal struct {
	Attached      bool // standard output is a terminal
	Width, Height int  // 0 when not known
	Term          string
	Locale        string // of LC_ALL, LC_CTYPE, LANG: the one that counts
	Colours       bool   // not switched off in the environment
	Home          bool   // there is a home folder for the configuration
	Tmux, SSH     bool
}

// JobFacts is what was read of one process besides the sample.
type JobFacts struct {
	PID          int
	Resources    proc.Resources
	Shm          monitor.Reading[proc.Space]
	TorchVersion monitor.Reading[string]
	Owner        torch.Owner
}
