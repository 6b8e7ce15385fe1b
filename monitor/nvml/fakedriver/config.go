package fakedriver

import (
	"fmt"
	"os"
	"strings"
)

// Values of nvmlReturn_t for use in a Config.
const (
	ReturnUninitialized = 1
	ReturnNotSupported  = 3
	ReturnNoPermission  = 4
	ReturnNoDriver      = 9
	ReturnLost          = 15
	ReturnMismatch      = 18
	ReturnUnknown       = 999
)

// NotAvailable as the memory of a process is the driver's all-ones answer.
const NotAvailable = "na"

// Config is what the fake driver answers. Fields left zero answer like a
// healthy card of 80 GiB; Set overrides a figure of a device.
type Config struct {
	Driver   string // version; empty means 580.95.05
	GPUs     int    // 0 to 64
	Init     int    // what nvmlInit returns; when not 0, calls made later answer "uninitialised"
	InitHang bool   // nvmlInit never returns
	// Epoch stands for one life of the driver: after a change every call answers
	// "uninitialised" until nvmlInit is called again.
	Epoch int
	// Layout is the length in bytes of a process entry that the newest list
	// functions write: 16, 24 or 32. 0 means 24.
	Layout int
	lines  []string

	EventsRet int  // what nvmlEventSetCreate returns
	WaitRet   int  // what a wait for events returns when there is none
	WaitHang  bool // a wait for events never returns
}

// AllGPUs as the index of a device means every device.
const AllGPUs = -1

// Set says what a device answers. The keys: name and uuid (with \xHH for bytes,
// name "unterminated" for one without its NUL), total, used, free, reserved
// (bytes), util, memutil (%), temp (°C), power, limit (mW), sm, mem (MHz),
// throttle (bits), no-events (1: the device tells none), ecc (1, 0, -1 not supported), corrected, uncorrected, remaps
// (1 pending, 2 failed, -1 not supported), retired (pages, -1 not supported),
// mig (1 on), instance (adds a MIG device on that GPU instance), gpm (1 has
// counters), minor (of the device file, -1 not supported), activity ("sm tensor fp32 dram" in %), ret (what every call
// returns), handle-ret, v1-ret, v2-ret, list-ret, gpm-ret, delay-ms (of every
// call), hang (1 every call never returns, 2 also taking the handle).
func (c *Config) Set(gpu int, key string, value any) *Config {
	which := "*"
	if gpu != AllGPUs {
		which = fmt.Sprint(gpu)
	}
	c.lines = append(c.lines, fmt.Sprintf("gpu %s %s %v", which, key, value))
	return c
}

// Process adds a process to a list of a device. list is 'c', 'g' or 'm';
// memory a number of bytes or NotAvailable; instance a MIG GPU instance, or a
// negative number for none.
func (c *Config) Process(gpu, pid int, memory any, list rune, instance int) *Config {
	value := fmt.Sprintf("%d %v %c", pid, memory, list)
	if instance >= 0 {
		value += fmt.Sprintf(" %d", instance)
	}
	return c.Set(gpu, "proc", value)
}

// Xid adds an Xid error of a device to what a wait for events tells, each once.
func (c *Config) Xid(gpu, code int) *Config {
	c.lines = append(c.lines, fmt.Sprintf("event %d 8 %d", gpu, code))
	return c
}

// MemoryError adds an uncorrectable memory error of a device to what a wait for
// events tells.
func (c *Config) MemoryError(gpu int) *Config {
	c.lines = append(c.lines, fmt.Sprintf("event %d 2 0", gpu))
	return c
}

// Write puts the configuration into the file in one step. A running fake
// driver answers by it from its next call on.
func (c *Config) Write(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "gpus %d\ninit %d\n", c.GPUs, c.Init)
	if c.Driver != "" {
		fmt.Fprintf(&b, "driver %s\n", c.Driver)
	}
	if c.InitHang {
		b.WriteString("init-hang 1\n")
	}
	if c.Epoch != 0 {
		fmt.Fprintf(&b, "epoch %d\n", c.Epoch)
	}
	if c.Layout != 0 {
		fmt.Fprintf(&b, "layout %d\n", c.Layout)
	}
	if c.EventsRet != 0 {
		fmt.Fprintf(&b, "events-ret %d\n", c.EventsRet)
	}
	if c.WaitRet != 0 {
		fmt.Fprintf(&b, "wait-ret %d\n", c.WaitRet)
	}
	if c.WaitHang {
		b.WriteString("wait-hang 1\n")
	}
	for _, line := range c.lines {
		b.WriteString(line + "\n")
	}
	next := path + ".next"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
