package cli

import (
	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/cmd/internal/job"
)

const about = `vramscope shows the three layers of a PyTorch job's GPU memory live, for a job
that is already running and was not changed:

  allocated  bytes in live tensors         read from the job's memory, or its log
  reserved   what PyTorch took from the driver
  used       what the device really holds  read from the driver

and names the gaps between them. It only reads: the job is never stopped,
traced or written to.`

// newRoot builds the command tree. A command stands here when it works.
func newRoot(sys System) *cobra.Command {
	opts := &options{}
	sys.hostProc = new(string)
	root := &cobra.Command{
		Use:               "vramscope",
		Short:             "the three layers of a PyTorch job's GPU memory, live",
		Long:              about,
		Version:           versionLine(),
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return opts.fromEnvironment(cmd, sys.Environ) },
		RunE:              untilSignal(func(cmd *cobra.Command, _ []string) error { return live(cmd.Context(), sys, opts) }),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	opts.add(root)
	root.PersistentFlags().StringVar(sys.hostProc, "host-proc", "", "the host's proc file system, mounted into this container at `DIR`: names the processes of other containers too")
	opts.addScreen(root)
	root.AddCommand(
		newOnce(sys, opts),
		newRun(sys, opts),
		newRecord(sys, opts),
		listing(newReplay(sys, opts), "config", "gpu", "pid", "theme", "ascii", "log-format"),
		listing(newDemo(sys, opts), "config", "gpu", "pid", "theme", "ascii"),
		listing(newAdvise(sys, opts), "config", "log-format"),
		listing(newParse(sys, opts), "config", "log-format"),
		newDoctor(sys, opts),
		listing(newCompletion(sys, root)),
		listing(newMan(sys)),
		listing(newVersion(sys)),
		newHelper(job.KeeperCommand, job.Keep),
		newHelper(job.WitnessCommand, job.Witness),
	)
	refuseUnknownTopics(root)
	return root
}
