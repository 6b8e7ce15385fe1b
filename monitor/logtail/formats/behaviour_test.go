package formats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

func events(text string) []monitor.LogReading {
	var out []monitor.LogReading
	for _, r := range parseAll(text) {
		if r.Kind == monitor.LogOOM {
			out = append(out, r)
		}
	}
	return out
}

func TestOneFailurePrintedThreeTimesIsOneEvent(t *testing.T) {
	one := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.11 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 67.50 GiB memory in use. Of the allocated memory 60.25 GiB is allocated by PyTorch, and 5.50 GiB is reserved by PyTorch but unallocated."
	for name, text := range map[string]string{
		"re-raised":        one + "\n\nDuring handling of the above exception, another exception occurred:\n\n" + one + "\nTraceback\n" + one,
		"launcher summary": "[rank3]: " + one + "\nroot cause of rank 3:\n  " + one,
		"relay":            "(Worker pid=7) " + one + "\nray.exceptions.RayTaskError: " + one,
		"behind prefixes":  "[rank3]: " + one + "\n[rank3]:[W] something\n[rank3]: " + one,
	} {
		if got := events(text); len(got) != 1 {
			t.Errorf("%s: %d events", name, len(got))
		}
	}
}

func TestDifferentFailuresAreDifferentEvents(t *testing.T) {
	form := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %s GiB. GPU %d has a total capacity of 79.11 GiB of which 512.00 MiB is free. Of the allocated memory 60.25 GiB is allocated by PyTorch, and 5.50 GiB is reserved by PyTorch but unallocated.\n"
	a, b := fmt.Sprintf(form, "2.00", 0), fmt.Sprintf(form, "3.00", 0)
	for name, text := range map[string]string{
		"other size":             a + b,
		"other device":           a + fmt.Sprintf(form, "2.00", 1),
		"other rank":             "[rank0]: " + a + "[rank1]: " + a,
		"other worker":           "(Worker pid=7, ip=10.0.0.1) " + a + "(Worker pid=8, ip=10.0.0.1) " + a,
		"the job went on":        "step: 5\n" + a + "step: 6\n" + a,
		"counts of new failures": "WARNING - 1 CUDA OOM errors thrown.\nWARNING - 1 CUDA OOM errors thrown.",
	} {
		if got := events(text); len(got) != 2 {
			t.Errorf("%s: %d events", name, len(got))
		}
	}
}

func TestAPrintedCountOfNewFailuresIsAnEventAndATablesCounterIsNot(t *testing.T) {
	got := events("[rank1]:[titan] 2025-01-01 01:01:01,111 - root - WARNING - 3 CUDA OOM errors thrown.\n" + summaryText)
	if len(got) != 1 || got[0].OOM.Count != 3 || got[0].Rank.Or(-1) != 1 {
		t.Fatalf("got %+v", got)
	}
	if got := events("WARNING - 0 CUDA OOM errors thrown."); len(got) != 0 {
		t.Fatalf("none thrown, and there is %+v", got)
	}
}

func TestFailuresWithoutFiguresAreEvents(t *testing.T) {
	for text, want := range map[string]string{
		"RuntimeError: CUDA error: out of memory":                                                  "RuntimeError|cuda|runtime|false",
		"torch.AcceleratorError: CUDA error: out of memory":                                        "torch.AcceleratorError|cuda|runtime|false",
		"RuntimeError: CUDA driver error: out of memory":                                           "RuntimeError|cuda|driver|false",
		"RuntimeError: cuda runtime error (2) : out of memory at /pytorch/THC/THCStorage.cu:77":    "RuntimeError|cuda||false",
		"THCudaCheck FAIL file=/pytorch/THC/THCStorage.cu line=77 error=2 : out of memory":         "|cuda||false",
		"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`": "RuntimeError|cuda|CUBLAS_STATUS_ALLOC_FAILED|true",
		"RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED":                                     "RuntimeError|cuda|CUDNN_STATUS_ALLOC_FAILED|true",
		"node1:31:77 [2] alloc.h:178 NCCL WARN Cuda failure 'out of memory'":                       "|cuda|NCCL|false",
		"| WARNING: attempting to recover from OOM in forward/backward pass":                       "|||false",
		"CUDA out of memory.":                                  "|cuda||false",
		"torch.cuda.OutOfMemoryError: CUDA out of memory":      "torch.cuda.OutOfMemoryError|cuda||false",
		"WARNING:root:CUDA out of memory. Retrying with less.": "|cuda||false",
	} {
		got := events(text)
		if len(got) != 1 {
			t.Errorf("%q gives %d events", text, len(got))
			continue
		}
		f := got[0].OOM
		if s := fmt.Sprintf("%s|%s|%s|%v", f.Exception, f.API, f.Cause, f.Likely); s != want {
			t.Errorf("%q gives %s, want %s", text, s, want)
		}
	}
}

func TestReservedIncludesAllocatedInEveryEra(t *testing.T) {
	for _, text := range oomTexts() {
		f := oomOf(t, text).OOM
		a, r := f.AllocatedBytes.Or(0), f.ReservedBytes.Or(0)
		if a <= 0 || r < a {
			t.Errorf("allocated %d, reserved %d in %q", a, r, text)
		}
	}
}

func TestTheAsynchronousAllocatorsTextIsRead(t *testing.T) {
	r := oomOf(t, "torch.cuda.OutOfMemoryError: Allocation on device 1 would exceed allowed memory. (out of memory)\nCurrently allocated     : 5.50 GiB\nRequested               : 420.00 MiB\nDevice limit            : 39.39 GiB\nFree (according to CUDA): 3.50 MiB\nPyTorch limit (set by user-supplied memory fraction)\n                        : 17179869184.00 GiB\nnext line")
	f := r.OOM
	if f.Allocator != "cudaMallocAsync" || f.AllocatedBytes.Or(0) != 11<<29 || f.RequestedBytes.Or(0) != 420<<20 || f.FreeBytes.Or(0) != 7<<19 || f.AllowedBytes.Known() || r.GPU.Or(-1) != 1 {
		t.Fatalf("got %+v %+v", r, f)
	}
}

// printed is how a user prints bytes.
func printed(bytes int64, scale float64, decimals int) string {
	return fmt.Sprintf("%.*f", decimals, float64(bytes)/scale)
}

func TestTheDivisorBehindGBIsNeverInferredWrongly(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	inferred, assumed := map[string]int{}, map[string]int{}
	for range 400 {
		scale, name := float64(1<<30), "2^30"
		if r.IntN(2) == 0 {
			scale, name = 1e9, "1e9"
		}
		decimals := 2 + r.IntN(3)
		p := NewParser(Config{})
		for i := range 60 {
			reserved := int64(1+r.IntN(30000)) * (2 << 20)
			allocated := int64(float64(reserved)*r.Float64()) / 512 * 512
			text := fmt.Sprintf("Allocated: %s GB, Reserved: %s GB", printed(allocated, scale, decimals), printed(reserved, scale, decimals))
			for _, got := range p.Line(monitor.LogLine{Text: text}) {
				if got.Unit == monitor.UnitAssumed {
					assumed[fmt.Sprint(name, " ", decimals)]++
					continue
				}
				inferred[fmt.Sprint(name, " ", decimals)]++
				if v := got.ReservedBytes.Or(0); math.Abs(float64(v-reserved)) > math.Pow10(-decimals)*scale {
					t.Fatalf("line %d of a log in %s: %q is read as %d by inference, it is %d", i, name, text, v, reserved)
				}
			}
		}
	}
	t.Logf("inferred %v, assumed %v", inferred, assumed)
}

func TestUnroundedFiguresTellTheirDivisorOnOneLine(t *testing.T) {
	for _, c := range []struct {
		text  string
		scale float64
	}{
		{fmt.Sprintf("reserved: %v GB", float64(7321*(2<<20))/1e9), 1e9},
		{fmt.Sprintf("reserved: %v GB", float64(7321*(2<<20))/(1<<30)), 1 << 30},
		{fmt.Sprintf("allocated: %v GB", float64(31337*512)/1e9), 1e9},
		{fmt.Sprintf("max allocated: %v MB", float64(31337*512)/(1<<20)), 1 << 20},
		{"reserved: 3102.00 MB", 1 << 20},
	} {
		got := parseAll(c.text)
		if len(got) != 1 || got[0].Unit != monitor.UnitInferred {
			t.Errorf("%q: %v", c.text, bases(got))
			continue
		}
		var v float64
		_, _ = fmt.Sscanf(c.text[strings.Index(c.text, ": ")+2:], "%g", &v)
		for _, r := range []monitor.Reading[int64]{got[0].AllocatedBytes, got[0].ReservedBytes, got[0].MaxAllocatedBytes} {
			if b, ok := r.Get(); ok && math.Abs(float64(b)-v*c.scale) > 1 {
				t.Errorf("%q is read as %d", c.text, b)
			}
		}
	}
}

func TestACapacityOnTheLineOrBeforeItTellsTheDivisor(t *testing.T) {
	for text, want := range map[string]string{
		"allocated=1.50GB reserved=2.50GB total=25.43GB":   "A=1.5G R=2.5G total=25.43G",
		"allocated=1.50GB reserved=2.50GB total=79.11GB":   "A=1.5Gi R=2.5Gi total=79.11Gi",
		"allocated 1.50GB, reserved 2.50GB, 84.94GB total": "A=1.5G R=2.5G total=84.94G",
	} {
		got := parseAll(text)
		if d := digest(got); d != claim(t, want) || got[0].Unit != monitor.UnitInferred {
			t.Errorf("%q: %s %v", text, d, bases(got))
		}
	}
}

func TestAReadingOnceGivenIsNotRewritten(t *testing.T) {
	lines := []string{"Reserved: 5.12 GB", "Reserved: 6.25 GB", fmt.Sprintf("reserved: %v GB", float64(7321*(2<<20))/1e9), "Reserved: 5.12 GB"}
	p := NewParser(Config{})
	var got []monitor.LogReading
	for _, l := range lines {
		got = append(got, p.Line(monitor.LogLine{Text: l})...)
	}
	if b := bases(got); b != "[assumed assumed inferred inferred]" {
		t.Fatal(b)
	}
	if got[0].ReservedBytes.Or(0) == got[3].ReservedBytes.Or(0) {
		t.Fatal("the evidence of the third line should change how the fourth reads")
	}
}

func TestPeaksSayFromWhenTheyCount(t *testing.T) {
	for text, want := range map[string]monitor.Reading[bool]{
		"MA 0.58 GB         Max_MA 26.38 GB         CA 26.71 GB         Max_CA 27 GB ": monitor.Known(true),
		"step: 4  memory: 66.91GiB(37.51%)  tps: 10,050":                               monitor.Known(true),
		"Epoch: [0]  [83/84]  eta: 0:00:00  data: 0.01  max mem: 1548":                 monitor.Known(false),
		"Peak allocated: 3.5 GiB":                                                      {},
	} {
		got := parseAll(text)
		last := got[len(got)-1]
		if last.PeakReset.Known() != want.Known() || last.PeakReset.Or(false) != want.Or(false) {
			t.Errorf("%q: %+v", text, last.PeakReset)
		}
	}
}

func TestFieldsAreFoundInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	fields := []string{"step: 120", "allocated: 1.50 GiB", "reserved: 2.50 GiB", "max allocated: 1.75 GiB", "max reserved: 3.00 GiB", "loss: 2.31", "lr: 1e-4"}
	want := claim(t, "step=120 A=1.5Gi R=2.5Gi maxA=1.75Gi maxR=3Gi")
	for range 100 {
		r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		for _, sep := range []string{", ", " | ", "; ", "  ", "\t"} {
			text := strings.Join(fields, sep)
			if got := digest(parseAll(text)); got != want {
				t.Fatalf("%q\n got %s\nwant %s", text, got, want)
			}
		}
	}
}

func TestANumberIsReadWithEveryUnit(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	units := map[string]float64{"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	forms := []string{"allocated: %s%s", "Allocated = %s %s", "memory allocated %s %s", "%s %s allocated", "torch.cuda.memory_allocated: %s %s", "{'allocated': '%s %s'}", "mem_allocated=%s%s, x=1"}
	for range 300 {
		for u, scale := range units {
			v := fmt.Sprintf("%d", 1+r.IntN(90000))
			if u == "GiB" || u == "MiB" {
				v = fmt.Sprintf("%d.%02d", r.IntN(70), r.IntN(100))
			}
			var f float64
			_, _ = fmt.Sscan(v, &f)
			form := forms[r.IntN(len(forms))]
			if u == "bytes" && form == "%s %s allocated" {
				continue // said of many programs
			}
			text := fmt.Sprintf(form, v, u)
			if got, want := digest(parseAll(text)), fmt.Sprintf("A=%d", int64(math.Round(f*scale))); got != want {
				t.Fatalf("%q gives %s, want %s", text, got, want)
			}
		}
	}
}

func TestTheJobsPhasesAreMarked(t *testing.T) {
	for text, want := range map[string]string{
		"***** Running training *****":                        "train",
		"***** Running Evaluation *****":                      "eval",
		"Saving model checkpoint to out/checkpoint-500":       "checkpoint",
		"Loading checkpoint shards: 100%|██████████| 4/4":     "load",
		"INFO [agent.py] Restarting worker group; 2 restarts": "restart",
		"model saved to /out/final":                           "save",
		"Epoch 3: starting":                                   "epoch",
		"Resuming from checkpoint step_400":                   "load",
	} {
		got := parseAll(text)
		if len(got) != 1 || got[0].Phase != want || got[0].Kind != monitor.LogProgress {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestStepsPerSecondAreRead(t *testing.T) {
	for text, want := range map[string]float64{
		"step 3: 10%| | 3/30 [00:01<00:09,  2.75it/s]": 2.75,
		"step 3: 10%| | 3/30 [00:09<00:09,  2.50s/it]": 0.4,
	} {
		got := parseAll(text)
		if len(got) != 1 || math.Abs(got[0].StepsPerSecond.Or(0)-want) > 1e-9 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestAMalformedNumberOfAUsersFormatIsNotRead(t *testing.T) {
	c, err := NewCustom(`^mem (?P<allocated>\S+) (?P<unit>\w+)`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"mem 1.2.3 GiB": 0, "mem -5 GiB": 0, "mem 1,5,2 GiB": 0, "mem 7.25 GiB": 1, "mem 1,234 MiB": 1} {
		p := NewParser(Config{Custom: c})
		got := append([]monitor.LogReading(nil), p.Line(monitor.LogLine{Text: text, Number: 1})...)
		if got = append(got, p.Flush(time.Time{})...); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAUsersOwnFormatIsReadFirst(t *testing.T) {
	c, err := NewCustom(`^MEM (?P<rank>\d+)/(?P<gpu>\d+) @(?P<step>\d+) (?P<allocated>[\d.]+)\+(?P<reserved>[\d.]+)(?P<unit>\w+)`)
	if err != nil {
		t.Fatal(err)
	}
	p := NewParser(Config{Custom: c})
	got := append([]monitor.LogReading(nil), p.Line(monitor.LogLine{Number: 7, Text: "MEM 3/1 @55 1.5+2.25GiB"})...)
	if d := digest(got); d != claim(t, "rank=3 gpu=1 step=55 A=1.5Gi R=2.25Gi") || got[0].Line != 7 || got[0].Producer != "" {
		t.Fatalf("%s %+v", d, got)
	}
	if d := digest(append([]monitor.LogReading(nil), p.Line(monitor.LogLine{Text: "Allocated: 3 GiB"})...)); d != claim(t, "A=3Gi") {
		t.Fatalf("other lines are read as ever: %s", d)
	}
}

func TestAUsersFormatThatCannotWorkIsRefusedWithTheReason(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?P<allocated>`:                   "missing closing",
		`(?P<vram>\d+)`:                    `group "vram" is not one of`,
		`step (?P<step>\d+)`:               "no group for a figure",
		`(?P<allocated>\d*)`:               "matches the empty line",
		`(?P<reserved>\d)(?P<reserved>\d)`: "",
	} {
		if _, err := NewCustom(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func TestTheRankOfAPerRankFileStandsWhereTheLineSaysNone(t *testing.T) {
	p := NewParser(Config{Rank: monitor.Known(6)})
	for text, want := range map[string]int{"Allocated: 3 GiB": 6, "[rank2]: Allocated: 3 GiB": 2, "CUDA error: out of memory": 6} {
		got := p.Line(monitor.LogLine{Text: text})
		if len(got) != 1 || got[0].Rank.Or(-1) != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestTheJSONOfAReadingHasTheContractsKeys(t *testing.T) {
	keys := func(text string) string {
		b, err := json.Marshal(JSON(parseAll(text)[0]))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	got := keys("[rank1]: step: 4 GPU 2: allocated: 1.00 GiB, reserved: 2.00 GiB, max allocated: 3.00 GiB")
	want := `{"line":1,"kind":"memory","allocated_bytes":1073741824,"reserved_bytes":2147483648,"max_allocated_bytes":3221225472,"rank":1,"gpu":2,"step":4,"producer":"","unit":"stated"}`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = keys(oomTexts()[0])
	want = `{"line":1,"kind":"oom","gpu":1,"producer":"PyTorch","unit":"stated","oom":{"exception":"RuntimeError","api":"cuda","requested_bytes":23592960,"total_bytes":10651518894,"free_bytes":20216545,"allocated_bytes":8128225608,"cached_bytes":36364616,"reserved_bytes":8164590224}}`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestLinesThatMatterAreToldFromThoseThatDoNot(t *testing.T) {
	p := NewParser(Config{})
	for i, c := range []struct {
		text string
		used bool
	}{
		{"chatter", false},
		{"Allocated: 3 GiB", true},
		{"|  PyTorch CUDA memory summary, device ID 0  |", true},
		{"| Allocated memory      |  12975 MiB |  17803 MiB |   1142 GiB |   1128 GiB |", true},
		{"step,gpu_mem_allocated_mb", true},
		{"cache miss", false},
		{"CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total", true},
	} {
		p.Line(monitor.LogLine{Text: c.text})
		if p.Used() != c.used {
			t.Errorf("line %d, %q: used is %v", i, c.text, p.Used())
		}
	}
}
