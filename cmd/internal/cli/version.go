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

// release and releaseCommit are set by the linker alone (-X) when packages are
// built; empty in any other build, where the Go tool's own stamp is used.
var release, releaseCommit string

// stampedVersion is the version of a release, empty in any other build.
func stampedVersion() string { return release }

// versionLine is the program's version as the release or the Go tool stamped it.
func versionLine() string {
	if release != "" {
		return versionText(release, commitText(releaseCommit))
	}
	version, commit := "devel", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = commitText(s.Value)
			}
			if s.Key == "vcs.modified" && s.Value == "true" {
				commit += "+modified"
			}
		}
	}
	return versionText(version, commit)
}

func commitText(revision string) string {
	if len(revision) < 12 {
		return ""
	}
	return " commit " + revision[:12]
}

func versionText(version, commit string) string {
	return fmt.Sprintf("vramscope %s%s %s %s/%s", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
