package cli

import "testing"

func TestATerminalThatCannotBeDrawnOnIsRefusedWithTheOtherWays(t *testing.T) {
	cmd := program(t, "demo")
	cmd.Env = append(cmd.Env, "TERM=dumb")
	a := attendTo(t, cmd)
	a.mustExit(1)
	a.waitFor("TERM says dumb")
	a.waitFor("--screen-reader")
}
