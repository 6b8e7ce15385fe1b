package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor/scrub"
)

// notifyPatience is how long a program of --on-finding may run.
const notifyPatience = 30 * time.Second

// notifier returns what runs the program of --on-finding for a finding: its
// argv as it was given and no shell, so that nothing in a finding can become a
// command. The finding comes as JSON on standard input and in variables of the
// environment. nil when no program was given.
func notifier(ctx context.Context, sys System, argv []string) (func(advisor.Finding) error, error) {
	if len(argv) == 0 {
		return nil, nil
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fmt.Errorf("--on-finding: %w", err)
	}
	return func(f advisor.Finding) error {
		f.Title, f.Past = scrub.Text(f.Title), scrub.Text(f.Past)
		var text bytes.Buffer
		if err := advisor.WriteJSON(&text, []advisor.Finding{f}, nil, sys.Now()); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, notifyPatience)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, argv[1:]...)
		cmd.Env = append(append([]string{}, sys.Environ...), findingVariables(f)...)
		cmd.Stdin = &text
		cmd.WaitDelay = time.Second
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without the terminal, which is the screen's
		var said beginning
		cmd.Stderr = &said
		if err := cmd.Run(); err != nil {
			first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
			return fmt.Errorf("--on-finding %s: %w %s", argv[0], err, first)
		}
		return nil
	}, nil
}

// beginning keeps the first 4 KiB of what is written to it.
type beginning []byte

// Write takes everything and never fails.
func (b *beginning) Write(p []byte) (int, error) {
	const most = 4 << 10
	*b = append(*b, p[:min(len(p), most-len(*b))]...)
	return len(p), nil
}

// findingVariables tell a finding to a program that reads no JSON.
func findingVariables(f advisor.Finding) []string {
	out := []string{
		"VRAMSCOPE_FINDING_ID=" + string(f.ID), "VRAMSCOPE_FINDING_SEVERITY=" + f.Severity.String(),
		"VRAMSCOPE_FINDING_TITLE=" + scrub.Text(strings.ReplaceAll(f.Title, "\x00", "")),
	}
	if f.GPU != nil {
		out = append(out, "VRAMSCOPE_FINDING_GPU="+strconv.Itoa(*f.GPU))
	}
	if f.PID != nil {
		out = append(out, "VRAMSCOPE_FINDING_PID="+strconv.Itoa(*f.PID))
	}
	return out
}
