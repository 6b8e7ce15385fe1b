// Package fakedriver builds a stand-in for the NVIDIA driver library out of C
// source that it carries, so that tests can run the real program on the real
// path to the driver without a GPU. It is for tests only; it imports the
// standard library alone and needs a C compiler (gcc, or what CC names).
//
// A process finds the library through LD_LIBRARY_PATH, which the loader reads
// at its start: a test sets Env in the environment of a child process.
package fakedriver

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed testdata/libnvidia-ml.c
var source []byte

// libraryName is the name that go-nvml opens.
const libraryName = "libnvidia-ml.so.1"

// Options says which library to build.
type Options struct {
	// Missing are functions that the library shall not export, as an older
	// driver's would not, for instance "nvmlDeviceGetMemoryInfo_v2".
	Missing []string
}

// ErrNoCompiler is returned by Build where there is no C compiler, for a test
// to skip itself.
var ErrNoCompiler = errors.New("no C compiler here")

// Build compiles the library into a folder of its own below dir and returns
// that folder. A library built before with the same options is used again.
func Build(dir string, opts Options) (libDir string, err error) {
	script := versionScript(opts.Missing)
	sum := sha256.Sum256(append(append([]byte(nil), source...), script...))
	libDir = filepath.Join(dir, fmt.Sprintf("fakedriver-%x", sum[:6]))
	library := filepath.Join(libDir, libraryName)
	if _, err := os.Stat(library); err == nil {
		return libDir, nil
	}
	compiler, err := exec.LookPath(compilerName())
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoCompiler, err)
	}
	// Built in a folder of its own and renamed, so that nobody loads half a file.
	work, err := os.MkdirTemp(dir, "building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work) //nolint:errcheck // temporary files
	for name, data := range map[string][]byte{"libnvidia-ml.c": source, "exports.map": script} {
		if err := os.WriteFile(filepath.Join(work, name), data, 0o600); err != nil {
			return "", err
		}
	}
	cmd := exec.Command(compiler, "-shared", "-fPIC", "-O1", "-pthread", "-Wl,--version-script=exports.map",
		"-Wl,-soname,"+libraryName, "-o", libraryName, "libnvidia-ml.c")
	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling the fake driver: %w\n%s", err, out)
	}
	if err := os.MkdirAll(libDir, 0o700); err != nil {
		return "", err
	}
	return libDir, os.Rename(filepath.Join(work, libraryName), library)
}

func compilerName() string {
	if cc := os.Getenv("CC"); cc != "" {
		return cc
	}
	return "gcc"
}

// versionScript exports everything of NVML but the missing functions: a name
// given in full wins over a pattern.
func versionScript(missing []string) []byte {
	local := strings.Join(append(append([]string(nil), missing...), "*"), "; ")
	return fmt.Appendf(nil, "{ global: nvml*; local: %s; };\n", local)
}

// Env returns the variables that make a child process find the library and
// its configuration. counts may be empty; the file is made when it is not.
func Env(libDir, config, counts string) []string {
	env := []string{"LD_LIBRARY_PATH=" + libDir, "FAKE_NVML_CONFIG=" + config}
	if counts != "" {
		env = append(env, "FAKE_NVML_COUNTS="+counts)
	}
	return env
}

// Counts reads how often each function was called by the processes that were
// given that file.
func Counts(path string) (map[string]int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const slot, name = 64, 56
	counts := map[string]int64{}
	for ; len(data) >= slot; data = data[slot:] {
		text, _, _ := bytes.Cut(data[:name], []byte{0})
		if len(text) > 0 {
			counts[string(text)] = int64(binary.LittleEndian.Uint64(data[name:slot]))
		}
	}
	return counts, nil
}
