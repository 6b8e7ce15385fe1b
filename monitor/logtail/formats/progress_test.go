package formats

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// memoryOf returns the last reading of figures in a text.
func memoryOf(t *testing.T, text string) monitor.LogReading {
	t.Helper()
	var last monitor.LogReading
	for _, r := range parseAll(text) {
		if r.Kind == monitor.LogMemory {
			last = r
		}
	}
	if last.Kind == "" {
		t.Fatalf("no figure is read in %q", text)
	}
	return last
}

func TestAFigureThatCannotBeACountGivesNoStepAndNoEpoch(t *testing.T) {
	for _, head := range []string{
		"step 99999999999999999999999", "step: 1234567890123456", "step 1e3", "global_step=7E+2", "after 77777777777777777777 iterations",
		"epoch 1e309", "epoch 1e5", "epoch 99999999999999999999999", "epoch: 1.5e309", "epoch 2e-3", "Epoch [88888888888888888888][5/9]",
	} {
		r := memoryOf(t, "step 4 epoch 2\n"+head+" allocated: 3 GiB")
		if r.Step.Known() || r.Epoch.Known() {
			t.Errorf("%q gives step %+v, epoch %+v", head, r.Step, r.Epoch)
		}
		if r = memoryOf(t, "step 4 epoch 2\n"+head+"\nallocated: 3 GiB"); r.Step.Known() || r.Epoch.Known() {
			t.Errorf("below %q: step %+v, epoch %+v", head, r.Step, r.Epoch)
		}
	}
	for _, row := range []string{"1e300,1e300,3001.5", "99999999999999999999,99999999999999999999,3001.5"} {
		if r := memoryOf(t, "epoch,step,allocated_mb\n"+row); r.Step.Known() || r.Epoch.Known() {
			t.Errorf("%q gives step %+v, epoch %+v", row, r.Step, r.Epoch)
		}
	}
	if r := memoryOf(t, "step 999999999999999 epoch 3.25 allocated: 3 GiB"); r.Step.Or(0) != maxCount || r.Epoch.Or(0) != 3.25 {
		t.Errorf("what can be a count is one: %+v %+v", r.Step, r.Epoch)
	}
}

func TestAStepIsCarriedToTheLinesOfItsBlockAndNoFurther(t *testing.T) {
	for _, c := range []struct {
		between string
		carried bool
	}{
		{"", true},
		{"Allocated: 1 GiB\nReserved: 2 GiB\n", true},
		{strings.Repeat("Allocated: 1 GiB\n", 7), true},
		{strings.Repeat("Allocated: 1 GiB\n", 8), false},
		{"RuntimeError: CUDA error: out of memory\n", false},
		{"CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 10.76 GiB total capacity;\n", false},
	} {
		r := memoryOf(t, "step 5 epoch 1\n"+c.between+"Max memory allocated: 3 GiB")
		if r.Step.Known() != c.carried || r.Epoch.Known() != c.carried {
			t.Errorf("over %q: step %+v, epoch %+v", c.between, r.Step, r.Epoch)
		}
	}
}

// scanEveryWord is progress.scan without its finder.
func scanEveryWord(s string) progress {
	var pr progress
	for i := 0; i < len(s); {
		if !isLetter(s[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(s) && inWord(s[j]) {
			j++
		}
		if j-i <= 16 {
			j = scanWord(&pr, s, i, j)
		}
		i = j
	}
	return pr
}

func TestTheNamesOfStepsAndEpochsAreFoundWithoutLookingAtEveryWord(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	pieces := []string{
		"step", "Step", "global_step", "_step", "current_steps", "num_updates", "iter", "iteration", "it", "batch_idx", "epoch", "ep", "33epoch",
		"epoch7", "train: [", "sleep", "edit", "item", " ", ": ", "=", "12", "3/10", "[4/9]", "0.5", ",", "\"", "é", "_", "loss", "after 20 iterations",
	}
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(3) > 0 {
				b.WriteByte(' ')
			}
		}
		var got progress
		got.scan(b.String(), lookAt(b.String()))
		if want := scanEveryWord(b.String()); got != want {
			t.Fatalf("%q gives %+v, want %+v", b.String(), got, want)
		}
	}
}
