package torch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

func scope(n int) monitor.Reading[int] { return monitor.Known(n) }

func TestEveryDenialNamesItsCauseAndItsCuresCheapestFirst(t *testing.T) {
	mine := func(uid int) Owner { return Owner{UID: uid, Known: true, Mapped: true} }
	other := func(uid int) Owner { return Owner{UID: uid, Known: true} }
	for name, c := range map[string]struct {
		self  Self
		owner Owner
		why   string
		cures []string
	}{
		"docker exec as root on an Ubuntu host": {Self{Nested: true, Yama: scope(1)}, mine(0), "own children only (Yama ptrace_scope 1) and this container lacks",
			[]string{cureLog, cureRun, cureHost, cureLine, cureAdd}},
		"docker exec as the job's user on an Ubuntu host": {Self{UID: 1000, Nested: true, Yama: scope(1)}, mine(1000), "own children only (Yama ptrace_scope 1)",
			[]string{cureLog, cureRun, cureHost, cureLine, cureAdd}},
		"a user on an Ubuntu desktop": {Self{UID: 1000, Yama: scope(1)}, mine(1000), "own children only",
			[]string{cureLog, cureRun, cureSudo, cureLine, cureSetcap}},
		"another user's job":                           {Self{UID: 1000, Yama: scope(1)}, other(1001), "belongs to user 1001", []string{cureLog, cureSudo}},
		"another user's job, seen from a container":    {Self{UID: 1000, Nested: true}, other(1001), "belongs to user 1001", []string{cureLog, cureHost}},
		"root of a container and a job of a user":      {Self{Nested: true}, other(1000), "this container lacks", []string{cureLog, "run vramscope as user 1000 (docker exec -u 1000)", cureHost, cureAdd}},
		"root of a container, Yama 1, a job of a user": {Self{Nested: true, Yama: scope(1)}, other(1000), "this container lacks", []string{cureLog, cureHost, cureAdd}},
		"root without the capability, no Yama":         {Self{Nested: true}, mine(0), "this container lacks", []string{cureLog, cureHost, cureAdd}},
		"root without the capability, outside":         {Self{}, mine(0), "this process lacks", []string{cureLog, cureHost, cureAdd}},
		"Yama 2 for a user":                            {Self{UID: 1000, Yama: scope(2)}, mine(1000), "administrators only", []string{cureLog, cureSudo, cureSetcap}},
		"Yama 2 in a container":                        {Self{Nested: true, Yama: scope(2)}, mine(0), "administrators only", []string{cureLog, cureHost, cureAdd}},
		"Yama 3 with every right":                      {Self{Ptrace: true, Yama: scope(3)}, mine(0), "everybody", []string{cureLog}},
		"Yama 3 for a user":                            {Self{UID: 1000, Yama: scope(3)}, mine(1000), "everybody", []string{cureLog}},
		"the capability of another user namespace":     {Self{Ptrace: true, Nested: true}, other(65534), "another user namespace", []string{cureLog, cureHost}},
		"a job that is not dumpable":                   {Self{UID: 1000}, Owner{UID: 1000, Known: true}, "not dumpable", []string{cureLog, cureSudo, cureSetcap}},
		"a job that is not dumpable, under Yama 1":     {Self{UID: 1000, Yama: scope(1)}, Owner{UID: 1000, Known: true}, "not dumpable", []string{cureLog, cureSudo, cureSetcap}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.self.Denied(c.owner)
			if !strings.Contains(got.Why, c.why) {
				t.Errorf("why %q, want %q", got.Why, c.why)
			}
			if diff := cmp.Diff(c.cures, got.Cures); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARowNamesTheCheapestCuresAndWhereTheRestStands(t *testing.T) {
	got := Self{Nested: true, Yama: scope(1)}.Denied(Owner{Known: true, Mapped: true}).sentence("PyTorch found")
	for _, want := range []string{"PyTorch found: ", cureLog, cureRun, "vramscope doctor"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if strings.Contains(got, PtracerLine) {
		t.Errorf("a row carries the whole line: %q", got)
	}
}

// prctlSpy stands before the C library's prctl and prints what it is called
// with, since Yama itself is not everywhere.
const prctlSpy = `
#include <stdarg.h>
#include <stdio.h>
int prctl(int option, ...) {
	va_list a;
	va_start(a, option);
	unsigned long v[4];
	for (int i = 0; i < 4; i++) v[i] = va_arg(a, unsigned long);
	va_end(a);
	if (option == 0x59616d61) printf("%x %lx\n", option, v[0]);
	return 0;
}
`

func TestTheLineToPasteAllowsEveryProcess(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so the line cannot be run")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed, so the call cannot be watched")
	}
	dir := t.TempDir()
	source, spy := filepath.Join(dir, "spy.c"), filepath.Join(dir, "spy.so")
	if err := os.WriteFile(source, []byte(prctlSpy), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", spy, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	cmd := exec.Command(python, "-c", PtracerLine)
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+spy)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// PR_SET_PTRACER and PR_SET_PTRACER_ANY, include/uapi/linux/prctl.h.
	if got := strings.TrimSpace(string(out)); got != "59616d61 ffffffffffffffff" {
		t.Errorf("prctl was called with %q", got)
	}
}
