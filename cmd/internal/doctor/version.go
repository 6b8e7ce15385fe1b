package doctor

import (
	"errors"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// versionFile is what PyTorch's build writes next to its libraries
// (tools/generate_torch_version.py): __version__ = '2.6.0+cu124'.
const versionFile = "version.py"

var versionLine = regexp.MustCompile(`(?m)^__version__\s*(?::[^=\n]{0,20})?=\s*['"]([0-9]{1,4}\.[0-9A-Za-z.+_-]{1,40})['"]`)

// versionPatience bounds the wait for a file that may lie on a network drive
// which does not answer.
const versionPatience = time.Second

// torchVersion returns the version of the PyTorch that a process has mapped:
// the line in the file beside the mapped library, as the process sees it. Only
// that line is kept, and the file is read as data, never run.
func torchVersion(root string, pid int) monitor.Reading[string] {
	dir := root + "/" + strconv.Itoa(pid)
	maps, err := readSmall(dir+"/maps", 8<<20)
	if err != nil {
		return monitor.Unknown[string](monitor.NoPermission, "the process's mappings cannot be read")
	}
	library := torchLibrary(string(maps))
	if library == "" {
		return monitor.Unknown[string](monitor.NotApplicable, "PyTorch was not found in the process")
	}
	// …/torch/lib/libtorch_cuda.so lies two below the package.
	name := path.Join(path.Dir(path.Dir(library)), versionFile)
	answer := make(chan monitor.Reading[string], 1)
	go func() { answer <- readVersion(dir+"/root", strings.TrimPrefix(name, "/")) }()
	timer := time.NewTimer(versionPatience)
	defer timer.Stop()
	select {
	case v := <-answer:
		return v
	case <-timer.C:
		return monitor.Unknown[string](monitor.TimedOut, "PyTorch's files do not answer")
	}
}

// torchLibrary finds the path of a library of PyTorch in /proc/PID/maps.
func torchLibrary(maps string) string {
	for line := range strings.Lines(maps) {
		at := strings.IndexByte(line, '/')
		if at < 0 {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(line[at:], "\n"), " (deleted)")
		base := path.Base(name)
		if strings.HasPrefix(base, "libc10_cuda") || strings.HasPrefix(base, "libtorch_cuda") || strings.HasPrefix(base, "libtorch_hip") || strings.HasPrefix(base, "libc10_hip") {
			return name
		}
	}
	return ""
}

// readVersion reads the line below a root that links must not lead out of.
func readVersion(root, name string) (version monitor.Reading[string]) {
	unknown := monitor.Unknown[string](monitor.NotAvailable, "PyTorch's version file cannot be read")
	r, err := os.OpenRoot(root)
	if err != nil {
		return unknown
	}
	defer func() {
		if r.Close() != nil {
			version = unknown
		}
	}()
	f, err := r.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return unknown
	}
	info, err := f.Stat()
	var text []byte
	if err == nil && info.Mode().IsRegular() {
		text, err = io.ReadAll(io.LimitReader(f, 16<<10))
	}
	if errors.Join(err, f.Close()) != nil {
		return unknown
	}
	m := versionLine.FindSubmatch(text)
	if m == nil {
		return unknown
	}
	return monitor.Known(string(m[1]))
}
