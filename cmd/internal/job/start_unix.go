//go:build linux || darwin

package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// findProgram returns the path of a program as a shell finds it. The error is a
// StartError.
func findProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return path, nil
	}
	code := CodeNotExecutable
	why := errors.Unwrap(err)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		code, why = CodeNotFound, errors.New("no such program in PATH")
	case errors.Is(err, fs.ErrNotExist):
		code, why = CodeNotFound, fs.ErrNotExist
	case errors.Is(err, syscall.EISDIR):
		why = errors.New("this is a directory")
	case errors.Is(err, fs.ErrPermission):
		why = errors.New("not executable: permission denied")
	}
	if why == nil {
		why = err
	}
	return "", &StartError{Code: code, Err: fmt.Errorf("%s: %w", name, why)}
}

// startError is what an error of exec means for the program of that name.
func startError(name string, err error) *StartError {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// The file is there, or it would not have been found: what it names in
		// its first line, or its loader, is not.
		return &StartError{Code: CodeNotFound, Err: fmt.Errorf("%s: its interpreter is missing: %w", name, err)}
	case errors.Is(err, syscall.ENOEXEC):
		return &StartError{Code: CodeNotExecutable, Err: fmt.Errorf("%s: %w; a script needs a first line such as #!/bin/sh", name, err)}
	}
	return &StartError{Code: CodeNotExecutable, Err: fmt.Errorf("%s: %w", name, err)}
}

// helper starts this program again with the given command. Its standard streams
// are those given, else the null device; files are its descriptors from 3 on.
func helper(command string, std [3]*os.File, files []*os.File, attr *syscall.SysProcAttr) (*os.Process, error) {
	exe, err := ownProgram()
	if err != nil {
		return nil, fmt.Errorf("start %s again as %s: %w", os.Args[0], command, err)
	}
	cmd := exec.Command(exe)
	cmd.Args = []string{"vramscope", command}
	if std[0] != nil {
		cmd.Stdin = std[0]
	}
	if std[1] != nil {
		cmd.Stdout = std[1]
	}
	if std[2] != nil {
		cmd.Stderr = std[2]
	}
	cmd.ExtraFiles = files
	cmd.SysProcAttr = attr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s again as %s: %w", exe, command, err)
	}
	return cmd.Process, nil
}

// ownProgram returns a path to the program that runs here, also after its file
// was replaced by an upgrade.
func ownProgram() (string, error) {
	const self = "/proc/self/exe"
	exe, err := os.Executable()
	running, statErr := os.Stat(self)
	if statErr != nil {
		return exe, err
	}
	if there, statErr := os.Stat(exe); err == nil && statErr == nil && os.SameFile(running, there) {
		return exe, nil
	}
	return self, nil
}

// resultOf reads a wait status.
func resultOf(ws syscall.WaitStatus) Result {
	if ws.Signaled() { //nolint:misspell // its name
		return Result{Code: codeSignal + int(ws.Signal()), Signal: ws.Signal(), Core: ws.CoreDump()}
	}
	return Result{Code: ws.ExitStatus()}
}
