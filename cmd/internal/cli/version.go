package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// newVersion prints what was built, from what, and with what.
func newVersion(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version and how it was built",
		Args:  cobra.NoArgs,
		RunE: run(func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(sys.Stdout, versionLine())
			return err
		}),
	}
}

// versionLine is the program's version as the Go tool stamped it.
func versionLine() string {
	version, commit := "devel", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = " commit " + s.Value[:12]
			}
			if s.Key == "vcs.modified" && s.Value == "true" {
				commit += "+modified"
			}
		}
	}
	return fmt.Sprintf("vramscope %s%s %s %s/%s", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
