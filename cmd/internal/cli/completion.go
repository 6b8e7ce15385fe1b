package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/tui/theme"
)

const aboutCompletion = `Print a script that teaches a shell to complete vramscope's commands, flags and
file names. To try it in this shell:

  bash  source <(vramscope completion bash)
  zsh   source <(vramscope completion zsh)
  fish  vramscope completion fish | source

To keep it, write it where the shell looks:

  bash  ~/.local/share/bash-completion/completions/vramscope
  zsh   a file named _vramscope in a folder of $fpath
  fish  ~/.config/fish/completions/vramscope.fish`

// newCompletion prints the completion script of a shell and says which values
// the flags of root take.
func newCompletion(sys System, root *cobra.Command) *cobra.Command {
	// The only error is a flag that does not exist: no completion then.
	_ = root.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(theme.Names(), cobra.ShellCompDirectiveNoFileComp))
	return &cobra.Command{
		Use:                   "completion bash|zsh|fish",
		Short:                 "print the completion script of a shell",
		Long:                  aboutCompletion,
		Args:                  cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:             []string{"bash", "zsh", "fish"},
		DisableFlagsInUseLine: true,
		RunE: run(func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(sys.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(sys.Stdout)
			case "fish":
				return root.GenFishCompletion(sys.Stdout, true)
			}
			return fmt.Errorf("no completion for %q", args[0])
		}),
	}
}
