package tui

import (
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/advice"
	"github.com/vramscope/vramscope/tui/screen/gpu"
	"github.com/vramscope/vramscope/tui/screen/help"
	"github.com/vramscope/vramscope/tui/screen/log"
	"github.com/vramscope/vramscope/tui/screen/output"
	"github.com/vramscope/vramscope/tui/screen/overview"
	"github.com/vramscope/vramscope/tui/screen/process"
	"github.com/vramscope/vramscope/tui/screen/setup"
	"github.com/vramscope/vramscope/tui/screen/sources"
)

// newScreens makes every screen, each with nothing selected; job may be nil.
func newScreens(job output.Job) [screen.Count]screen.Screen {
	return [screen.Count]screen.Screen{
		screen.Overview: overview.New(),
		screen.GPU:      gpu.New(),
		screen.Process:  process.New(),
		screen.Advice:   advice.New(),
		screen.Log:      log.New(),
		screen.Sources:  sources.New(),
		screen.Output:   output.New(job),
		screen.Setup:    setup.New(),
		screen.Help:     help.New(),
	}
}
