package record

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// childFile names the variable that turns the test binary into a recorder.
const childFile = "VRAMSCOPE_TEST_RECORD_INTO"

// roundsVariable names the variable with the number of recorders to kill.
const roundsVariable = "VRAMSCOPE_TEST_KILLS"

// TestMain runs the recorder that the crash test kills when it is told to.
func TestMain(m *testing.M) {
	if name := os.Getenv(childFile); name != "" {
		recordForever(name)
	}
	os.Exit(m.Run())
}

func recordForever(name string) {
	w, err := Create(name, Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := 0; ; i++ {
		if err := w.Write(random(rng, start.Add(time.Duration(i)*time.Second))); err != nil {
			os.Exit(1)
		}
		fmt.Println("written", i)
	}
}

func TestNoCompleteSampleIsLostWhenTheRecorderIsKilled(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	torn, rounds := 0, 50
	if n, err := strconv.Atoi(os.Getenv(roundsVariable)); err == nil {
		rounds = n
	}
	for round := range rounds {
		name := filepath.Join(t.TempDir(), "killed.jsonl")
		if round%2 == 1 {
			name += ".gz"
		}
		last := killAfter(t, name, rng.IntN(150))
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := Load(file, name, nil)
		_ = file.Close()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if rec.Torn {
			torn++
		}
		if len(rec.Samples) <= last {
			t.Fatalf("round %d: sample %d was written, and %d can be read", round, last, len(rec.Samples))
		}
		for i, s := range rec.Samples {
			if !s.Time.Equal(start.Add(time.Duration(i) * time.Second)) {
				t.Fatalf("round %d: sample %d is of %v", round, i, s.Time)
			}
		}
	}
	t.Logf("%d of %d files ended in the middle", torn, rounds)
}

// killAfter starts a recorder, kills it some samples later and returns the
// number of the last sample that it said was written.
func killAfter(t *testing.T, name string, samples int) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childFile+"="+name)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	last := -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "written %d", &last); err != nil {
			t.Fatalf("the recorder says %q", lines.Text())
		}
		if last == samples {
			_ = child.Process.Kill()
		}
	}
	_ = child.Wait()
	if last < samples {
		t.Fatalf("the recorder ended after sample %d", last)
	}
	return last
}
