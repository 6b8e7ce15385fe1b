package main_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vramscope/vramscope/cmd/internal/cli"
	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

// The scripts in testdata/script run the program as a user would: each is a
// shell-like text with its files below it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"vramscope": func() {
			os.Exit(cli.Main(cli.System{
				Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Now: time.Now,
			}))
		},
	})
}

func TestTheProgramAsUsersCallIt(t *testing.T) {
	drivers := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"driver": func(ts *testscript.TestScript, neg bool, args []string) { useDriver(ts, drivers, args) },
			"rc":     exitCode,
			"until":  untilWritten,
		},
	})
}

// useDriver puts a fake driver library before all others and writes the
// machine that it plays.
func useDriver(ts *testscript.TestScript, root string, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: driver GPUS [KEY=VALUE|PID]…")
	}
	lib, err := fakedriver.Build(root, fakedriver.Options{})
	if errors.Is(err, fakedriver.ErrNoCompiler) {
		ts.Fatalf("no C compiler for the fake driver: %v", err)
	}
	ts.Check(err)
	config := ts.MkAbs("machine.conf")
	ts.Check(fakeMachine(ts, args).Write(config))
	for _, kv := range fakedriver.Env(lib, config, "") {
		name, value, _ := strings.Cut(kv, "=")
		ts.Setenv(name, value)
	}
}

// fakeMachine is the machine of a driver line: GPUS [KEY=VALUE|PID]…; a key is
// a property of GPU 0 or an event of it, a PID holds a GiB of it.
func fakeMachine(ts *testscript.TestScript, args []string) *fakedriver.Config {
	gpus, err := strconv.Atoi(args[0])
	ts.Check(err)
	c := &fakedriver.Config{GPUs: gpus}
	for _, arg := range args[1:] {
		if key, value, ok := strings.Cut(arg, "="); ok {
			number, err := strconv.Atoi(value)
			switch key {
			case "init":
				ts.Check(err)
				c.Init = number
			case "xid":
				ts.Check(err)
				c.Xid(0, number)
			case "events":
				ts.Check(err)
				c.EventsRet = number
			default:
				c.Set(0, key, value)
			}
			continue
		}
		pid, err := strconv.Atoi(arg)
		ts.Check(err)
		c.Process(0, pid, 1<<30, 'c', -1)
	}
	return c
}

// exitCode runs a command and checks its exit code: rc CODE COMMAND ARG….
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: rc CODE COMMAND ARG…")
	}
	mustExit(ts, args[0], args[1:])
}

// untilScript runs a command until a file has a line of a pattern, and then
// asks it to end. How soon that is, is the machine's affair.
const untilScript = `pattern=$1 file=$2 tries=0
shift 2
"$@" & command=$!
until grep -qE -- "$pattern" "$file" 2>/dev/null; do
  [ $tries -lt 600 ] && kill -0 $command 2>/dev/null || break
  tries=$((tries + 1))
  sleep 0.1
done
kill $command 2>/dev/null
wait $command`

// untilWritten runs a command for as long as it takes: until CODE PATTERN FILE
// COMMAND ARG….
func untilWritten(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 4 {
		ts.Fatalf("usage: until CODE PATTERN FILE COMMAND ARG…")
	}
	mustExit(ts, args[0], append([]string{"sh", "-c", untilScript, "sh"}, args[1:]...))
}

func mustExit(ts *testscript.TestScript, want string, command []string) {
	err := ts.Exec(command[0], command[1:]...)
	code := "0"
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		code = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%s: %v", command[0], err)
	}
	if code != want {
		ts.Fatalf("%q: exit code %s, want %s", command, code, want)
	}
}
