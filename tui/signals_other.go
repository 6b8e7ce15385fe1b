//go:build !unix

package tui

import tea "charm.land/bubbletea/v2"

// watchTerminal does nothing where there are no signals.
func watchTerminal(*Model, *tea.Program) (stop func()) { return func() {} }

// hasShell is false where a program cannot stop itself.
func hasShell() bool { return false }
