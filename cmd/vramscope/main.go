// Command vramscope shows the three layers of a PyTorch job's GPU memory
// (allocated, reserved, used) for a job that is already running and was not
// changed. This file only hands the process's surroundings to the commands.
package main

import (
	"os"
	"time"

	"github.com/vramscope/vramscope/cmd/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.System{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Environ: os.Environ(),
		Now:     time.Now,
	}))
}
