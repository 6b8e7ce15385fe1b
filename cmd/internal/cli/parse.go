package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/tui/text"
)

// parsing is what `parse` was asked to show.
type parsing struct {
	json    bool
	all     bool // progress too
	unknown bool // the lines that look like memory and were not read, instead
}

func newParse(sys System, opts *options) *cobra.Command {
	var how parsing
	cmd := &cobra.Command{
		Use:   "parse FILE|-",
		Short: "show what is read out of a training log, line by line",
		Args:  cobra.ExactArgs(1),
		RunE: run(func(_ *cobra.Command, args []string) error {
			in, _, err := openInput(sys, args[0])
			if err != nil {
				return err
			}
			defer in.Close() //nolint:errcheck // read only
			return parseLog(sys, opts, in, args[0], how)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&how.json, "json", false, "print one JSON object a reading")
	f.BoolVar(&how.all, "all", false, "print steps, epochs and phases too")
	f.BoolVar(&how.unknown, "unknown", false, "print instead the lines that look like memory and were not read")
	return cmd
}

func parseLog(sys System, opts *options, in io.Reader, name string, how parsing) error {
	if name != "-" { // a pipe is read line by line, without waiting for more
		begin := bufio.NewReaderSize(in, sniffBytes)
		in = begin
		if head, _ := begin.Peek(sniffBytes); record.IsRecording(head) {
			return fmt.Errorf("%s is a recording, not a log; 'vramscope advise' and 'vramscope replay' read it", name)
		}
	}
	out := bufio.NewWriter(sys.Stdout)
	p := &logPrinter{out: out, how: how, parser: opts.newParser(monitor.Reading[int]{}), name: name, now: sys.Now()}
	if err := eachLine(in, p.line); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.print(p.parser.Flush(p.now))
	if err := errors.Join(p.err, out.Flush()); err != nil {
		return err
	}
	if !how.json && !how.unknown && p.count == 0 {
		say(sys.Stderr, "nothing about GPU memory was read in %d lines of %s; --unknown lists the lines that look like it\n", p.number, name)
	}
	return nil
}

type logPrinter struct {
	out    io.Writer
	how    parsing
	parser *formats.Parser
	name   string
	now    time.Time
	number int64
	count  int
	err    error
}

func (p *logPrinter) line(number int64, s string) {
	p.number = number
	readings := p.parser.Line(monitor.LogLine{Time: p.now, Source: p.name, Number: p.number, Text: s})
	if p.how.unknown {
		if p.parser.Unread(s) {
			p.printf("%d: %s\n", p.number, clean.Line(s))
		}
		return
	}
	p.print(readings)
}

func (p *logPrinter) print(readings []monitor.LogReading) {
	if p.how.unknown {
		return
	}
	for _, r := range readings {
		if r.Kind == monitor.LogProgress && !p.how.all {
			continue
		}
		p.count++
		if !p.how.json {
			p.printf("%s\n", describe(r))
			continue
		}
		row, err := json.Marshal(formats.JSON(r))
		if err != nil {
			p.err = errors.Join(p.err, err)
			return
		}
		if _, err := (harmless{p.out}).Write(append(row, '\n')); err != nil && p.err == nil {
			p.err = err
		}
	}
}

func (p *logPrinter) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(p.out, format, args...); err != nil && p.err == nil {
		p.err = err
	}
}

// describe is a reading as one line for people.
func describe(r monitor.LogReading) string {
	parts := []string{fmt.Sprintf("line %d", r.Line), string(r.Kind)}
	size := func(name string, v monitor.Reading[int64]) {
		if n, ok := v.Get(); ok {
			parts = append(parts, name+" "+strings.TrimSpace(text.Size(n, 10)))
		}
	}
	size("allocated", r.AllocatedBytes)
	size("reserved", r.ReservedBytes)
	size("peak allocated", r.MaxAllocatedBytes)
	size("peak reserved", r.MaxReservedBytes)
	size("device used", r.DeviceUsedBytes)
	size("device total", r.DeviceTotalBytes)
	if o := r.OOM; o != nil {
		size("requested", o.RequestedBytes)
		size("total", o.TotalBytes)
		size("free", o.FreeBytes)
		size("allocated", o.AllocatedBytes)
		size("reserved", o.ReservedBytes)
	}
	for _, n := range []struct {
		name  string
		value monitor.Reading[int]
	}{{"rank", r.Rank}, {"gpu", r.GPU}} {
		if v, ok := n.value.Get(); ok {
			parts = append(parts, fmt.Sprintf("%s %d", n.name, v))
		}
	}
	if v, ok := r.Step.Get(); ok {
		parts = append(parts, fmt.Sprintf("step %d", v))
	}
	if v, ok := r.Epoch.Get(); ok {
		parts = append(parts, fmt.Sprintf("epoch %g", v))
	}
	if r.Phase != "" {
		parts = append(parts, clean.Line(r.Phase))
	}
	if r.Kind == monitor.LogMemory {
		parts = append(parts, "unit "+string(r.Unit))
	}
	if r.Producer != "" {
		parts = append(parts, "("+clean.Line(r.Producer)+")")
	}
	return strings.Join(parts, "  ")
}
