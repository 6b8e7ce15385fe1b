package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// listing leaves out of the help of a command the flags of the whole program
// that mean nothing to it. They may still be given: they come from the
// environment and the configuration too.
func listing(cmd *cobra.Command, meant ...string) *cobra.Command {
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		var hidden []*pflag.Flag
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !slices.Contains(meant, f.Name) {
				f.Hidden = true
				hidden = append(hidden, f)
			}
		})
		c.Root().HelpFunc()(c, args)
		for _, f := range hidden {
			f.Hidden = false
		}
	})
	return cmd
}

// refuseUnknownTopics makes help about a command that is not there wrong usage.
// By itself it shows the help of the whole program as if that had been asked for.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err) // it was made a line above
	}
	help.Args = func(_ *cobra.Command, topic []string) error {
		if _, rest, err := root.Find(topic); err != nil || len(rest) > 0 {
			return fmt.Errorf("help %s: there is no such command", strings.Join(topic, " "))
		}
		return nil
	}
}
