package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/vramscope/vramscope/cmd/internal/doctor"
	"github.com/vramscope/vramscope/monitor"
)

// The recording of a bundle: so many samples, and never longer than this.
const (
	bundleSamples  = 5
	bundlePatience = 20 * time.Second
)

// writeBundle takes a few samples and writes the archive into a new file, whole
// or not at all.
func writeBundle(ctx context.Context, sys System, opts *options, name string, report doctor.Report) (err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("bundle %s: the file is there already and is not written over", name)
	}
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(name)
		}
	}()
	samples, err := someSamples(ctx, sys, opts)
	if err != nil {
		return err
	}
	b := doctor.Bundle{Report: report, Samples: samples, At: sys.Now(), Interval: opts.interval,
		Versions: append([]string{versionLine()}, systemVersions("/proc", "/etc/os-release")...)}
	if err := b.Write(file); err != nil {
		return err
	}
	say(sys.Stderr, "%s written, %d samples; names, paths of home folders, secrets and log lines are left out. Look into it before you send it on.\n", name, len(samples))
	return nil
}

// someSamples takes a short stretch, logs left out.
func someSamples(ctx context.Context, sys System, opts *options) ([]monitor.Sample, error) {
	asked := *opts
	asked.logs, asked.noLog = nil, true
	w, err := newWatch(sys, &asked)
	if err != nil {
		return nil, err
	}
	defer w.Close() //nolint:errcheck // nothing is written
	ctx, cancel := context.WithTimeout(ctx, bundlePatience)
	defer cancel()
	feed := asked.chosen(w.sampler)
	var samples []monitor.Sample
	for len(samples) < bundleSamples {
		batch, err := feed.Next(ctx)
		if err != nil {
			break
		}
		samples = append(samples, batch.Samples...)
	}
	if len(samples) == 0 {
		return nil, errors.New("bundle: no sample could be taken in time")
	}
	return samples, nil
}

// systemVersions are lines about the system, without its name.
func systemVersions(proc, osRelease string) []string {
	lines := []string{"system: " + runtime.GOOS + "/" + runtime.GOARCH}
	for _, f := range []struct{ what, name string }{{"kernel", proc + "/sys/kernel/osrelease"}, {"module", proc + "/driver/nvidia/version"}} {
		if b, err := os.ReadFile(f.name); err == nil {
			first, _, _ := strings.Cut(string(b), "\n")
			lines = append(lines, f.what+": "+first)
		}
	}
	if b, err := os.ReadFile(osRelease); err == nil {
		for line := range strings.Lines(string(b)) {
			if pretty, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
				lines = append(lines, "distribution: "+strings.Trim(strings.TrimSpace(pretty), `"`))
			}
		}
	}
	return lines
}
