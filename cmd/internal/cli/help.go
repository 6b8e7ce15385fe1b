package cli

import (
	"slices"

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
