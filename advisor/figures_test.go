package advisor_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// Texts as PyTorch writes them, with figures of our own.
func TestTheFiguresOfAPastedTextStandInTheAdvice(t *testing.T) {
	for _, c := range []struct {
		text  string
		id    catalog.ID
		first []string // in the first advice, its code included
	}{
		{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 40.00 GiB. GPU 0 has a total capacity of 23.50 GiB of which 15.00 GiB is free. Including non-PyTorch memory, this process has 8.50 GiB memory in use. Of the allocated memory 7.90 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.",
			catalog.ActivationsTooLarge, []string{"In 3 pieces", "x.chunk(3)"}},
		{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 700.00 MiB. GPU 0 has a total capacity of 23.50 GiB of which 200.00 MiB is free. Including non-PyTorch memory, this process has 23.20 GiB memory in use. Of the allocated memory 22.50 GiB is allocated by PyTorch, and 120.00 MiB is reserved by PyTorch but unallocated.",
			catalog.Capacity, []string{"700 MiB were asked for and 200 MiB were to be had", "at least 500 MiB less"}},
		{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 40.00 GiB of which 29.00 GiB is free. 10.00 GiB allowed; Of the allocated memory 9.40 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.",
			catalog.MemoryFractionLimit, []string{"0.27 of the card is enough", "set_per_process_memory_fraction(0.27)"}},
		{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 100.00 MiB. GPU 0 has a total capacity of 40.00 GiB of which 60.00 MiB is free. Process 77 has 30.00 GiB memory in use. Including non-PyTorch memory, this process has 9.90 GiB memory in use. Of the allocated memory 9.30 GiB is allocated by PyTorch, and 50.00 MiB is reserved by PyTorch but unallocated.",
			catalog.OtherProcess, []string{"10 GiB of the card are all"}},
		{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 22.90 GiB memory in use. Of the allocated memory 13.00 GiB is allocated by PyTorch, and 9.20 GiB is reserved by PyTorch but unallocated.",
			catalog.Fragmentation, []string{"the 9.2 GiB that were idle and the 1 GiB to be had", "served the 2 GiB"}},
		{"Tried to allocate 30.00 MiB. GPU 0 has a total capacity of 24.00 GiB of which 10.00 MiB is free.",
			catalog.Capacity, []string{"Find out who holds the card", "nvidia-smi"}},
	} {
		found := advisor.Advise(pasted(c.text))
		if len(found) == 0 || found[0].ID != c.id {
			t.Errorf("%.80s: %s", c.text, list(found, 3))
			continue
		}
		first := found[0].Advice[0].String()
		for _, want := range c.first {
			if !strings.Contains(first, want) {
				t.Errorf("%s: no %q in %q", c.id, want, first)
			}
		}
	}
}

func TestNoAdviceShowsAFigureThatIsNotKnown(t *testing.T) {
	for _, e := range catalog.All() {
		for _, a := range e.AdviceFor(nil, map[string]string{"short": "an unknown amount", "asked": "1 GiB", "had": "0 bytes"}) {
			if text := a.String(); strings.ContainsAny(strings.ReplaceAll(text, "{'", ""), "‹") || strings.Contains(text, "{short}") || strings.Contains(text, "unknown amount") {
				t.Errorf("%s: %s", e.ID, text)
			}
		}
	}
}

// Who is up at night reads what to do before the figures, each figure's source
// once, and of a text alone no time.
func TestTheTextBeginsWithWhatToDo(t *testing.T) {
	found := advisor.Advise(pasted("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 700.00 MiB. GPU 0 has a total capacity of 23.50 GiB of which 200.00 MiB is free. Including non-PyTorch memory, this process has 23.20 GiB memory in use. Of the allocated memory 22.50 GiB is allocated by PyTorch, and 120.00 MiB is reserved by PyTorch but unallocated."))
	var b bytes.Buffer
	if err := advisor.WriteText(&b, found, advisor.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if do, why := strings.Index(text, "what to do:"), strings.Index(text, "evidence, from the log:"); do < 0 || why < do {
		t.Errorf("what to do at %d, evidence at %d in\n%s", do, why, text)
	}
	if strings.Count(text, "from the log") != 1 || strings.Contains(text, "active") || !strings.Contains(text, "confidence: likely\n") {
		t.Errorf("%s", text)
	}
}

func TestAFlushBeforeAFailureIsNotToldBesideIt(t *testing.T) {
	for _, e := range manifest(t) {
		found := advisor.Advise(inputOf(samplesOf(t, shared(t, "recordings", e.File))))
		for _, f := range found {
			if f.ID == catalog.AllocRetries && f.Severity == advisor.Info && found[0].Severity == advisor.Critical {
				t.Errorf("%s: %s", e.File, list(found, 5))
			}
			if e.File == "thrash.jsonl" && !strings.Contains(f.Advice[0].Do, "limit of the process") {
				t.Errorf("%s: %s", e.File, f.Advice[0].Do)
			}
		}
	}
}

func TestACommandHasTheNumberOfTheProcess(t *testing.T) {
	b := newBench(t).hold(10, 0, 6*gib).hold(4711, 0, 8*gib).tensors(10, 0, 5*gib, 5*gib)
	b.procs = []monitor.Process{{PID: 10, ParentPID: 2}, {PID: 4711, ParentPID: 1, Name: "python", CPUPercent: monitor.Known(0.0)}}
	f := b.first(catalog.ZombieProcess, advisor.Warning)
	if !strings.Contains(f.Advice[0].Code, "kill 4711; ") || !strings.Contains(f.Confirm, "-p 4711 ") {
		t.Errorf("%s; %s", f.Advice[0].Code, f.Confirm)
	}
}
