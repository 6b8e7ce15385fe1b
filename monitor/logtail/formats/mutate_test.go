package formats

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// dress is a way in which the same text reaches a log.
type dress struct {
	name string
	rank string // what it tells of the rank, for texts that do not
	line func(r *rand.Rand, l string) string
}

func dresses() []dress {
	prefix := func(format string) func(*rand.Rand, string) string {
		return func(r *rand.Rand, l string) string {
			p := strings.ReplaceAll(format, "DD", fmt.Sprintf("%02d", 10+r.IntN(18)))
			p = strings.ReplaceAll(p, "NNN", fmt.Sprint(100+r.IntN(800)))
			return p + l
		}
	}
	return []dress{
		{"as it is", "", prefix("")},
		{"timestamp", "", prefix("2025-03-DD 11:DD:DD,NNN - INFO - ")},
		{"iso timestamp", "", prefix("2025-03-DDT11:DD:DD.NNNZ ")},
		{"bracketed timestamp", "", prefix("[2025-03-DD 11:DD:DD,NNN] [INFO] [trainer.py:NNN:log] ")},
		{"loguru", "", prefix("2025-03-DD 11:DD:DD.NNN | INFO     | pkg.train:loop:NNN - ")},
		{"python logging", "", prefix("INFO:my.module:")},
		{"absl", "", prefix("I0424 11:DD:DD.NNNNNN 12345 train.py:NNN] ")},
		{"rank", "rank=5", prefix("[rank5]: ")},
		{"Rank", "rank=5", prefix("[Rank 5] ")},
		{"torchelastic", "rank=5", prefix("[default5]:")},
		{"trainer role", "rank=5", prefix("[trainer5]:")},
		{"srun", "rank=5", prefix(" 5: ")},
		{"srun wide", "rank=12", prefix("12: ")},
		{"ray", "", prefix("(TrainWorker pid=4NNN, ip=10.0.0.7) ")},
		{"vllm worker", "rank=5", prefix("(VllmWorker rank=5 pid=1NNN) ")},
		{"kubernetes", "", prefix("2025-03-DDT11:DD:DD.NNNNNNNNNZ stdout F ")},
		{"docker compose", "", prefix("trainer-1  | ")},
		{"colour", "", func(_ *rand.Rand, l string) string { return "\x1b[32m" + l + "\x1b[0m" }},
		{"colour on words", "", func(_ *rand.Rand, l string) string {
			return "\x1b[2;36m[11:22:33]\x1b[0m\x1b[2;36m \x1b[0m\x1b[34mINFO\x1b[0m " + l + "\x1b[38;2;54;234;195m"
		}},
		{"colour without ESC", "", func(_ *rand.Rand, l string) string { return "[32m" + l + "[0m" }},
		{"bar before", "", func(_ *rand.Rand, l string) string {
			return "\r 17%|█▋        | 17/100 [00:08<00:41,  2.01it/s]\r 18%|█▊        | 18/100 [00:09<00:40,  2.01it/s]\r" + l
		}},
		{"windows", "", func(_ *rand.Rand, l string) string { return l + "\r" }},
		{"trailing blanks", "", func(_ *rand.Rand, l string) string { return l + "   \t" }},
		{"quoted", "", func(_ *rand.Rand, l string) string { return "`" + l + "`" }},
		{"NUL bytes", "", func(_ *rand.Rand, l string) string { return "\x00\x00" + l }},
		{"invalid UTF-8", "", func(_ *rand.Rand, l string) string { return "\xff\xfe " + l + " \xc3" }},
	}
}

// dressed puts every line of a text into a dress. Rows of tables keep their
// own lines.
func dressed(r *rand.Rand, d dress, text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			lines[i] = d.line(r, l)
		}
	}
	return strings.Join(lines, "\n")
}

// srunLabel is what srun puts in front of the lines of a task.
var srunLabel = regexp.MustCompile(`^[ "]*\d+: `)

// breaksDress lists what a dress changes in the meaning of a text, so that it
// is no fair test: a header row of a CSV file is nothing but names.
func breaksDress(d dress, text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	csv := strings.Count(first, ",") >= 2 && !strings.ContainsAny(first, ":={")
	row := isYOLORow(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
	switch d.name {
	case "as it is", "windows", "NUL bytes":
		return false
	case "bar before":
		return csv
	}
	label := srunLabel.MatchString(text) && d.rank == "" // it stands in front of everything
	if d.rank != "" && strings.HasPrefix(text, "\r") {
		return true // what is written over the label has none
	}
	return csv || row || label
}

func TestEveryDressReadsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type score struct{ right, all int }
	byDress := map[string]*score{}
	for _, e := range examples() {
		plainly := digest(parseAll(e.text))
		for _, d := range dresses() {
			if breaksDress(d, e.text) {
				continue
			}
			want := plainly
			if d.rank != "" && !strings.Contains(want, "rank=") && want != "" {
				want = claim(t, want+" "+d.rank)
			} else if d.rank != "" && strings.Contains(want, "rank=") {
				continue // which of two ranks is meant is the text's affair
			}
			if byDress[d.name] == nil {
				byDress[d.name] = &score{}
			}
			byDress[d.name].all++
			if got := digest(parseAll(dressed(r, d, e.text))); got != want {
				t.Errorf("%s in %s\n  %q\n  got  %s\n  want %s", e.producer, d.name, dressed(r, d, e.text), got, want)
				continue
			}
			byDress[d.name].right++
		}
	}
	for n, s := range byDress {
		t.Logf("%-24s %3d of %3d", n, s.right, s.all)
	}
}

// oomTexts are our own failures in the words of PyTorch's eras.
func oomTexts() []string {
	return []string{
		"RuntimeError: CUDA out of memory. Tried to allocate 22.50 MiB (GPU 1; 9.92 GiB total capacity; 7.57 GiB already allocated; 19.28 MiB free; 34.68 MiB cached)",
		"RuntimeError: CUDA out of memory. Tried to allocate 1.25 GiB (GPU 0; 23.69 GiB total capacity; 20.13 GiB already allocated; 415.88 MiB free; 21.80 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
		"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.25 GiB. GPU 2 has a total capacty of 39.39 GiB of which 1.66 GiB is free. Including non-PyTorch memory, this process has 37.71 GiB memory in use. Of the allocated memory 32.09 GiB is allocated by PyTorch, and 4.84 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.",
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.11 GiB of which 512.00 MiB is free. Process 4711 has 10.25 GiB memory in use. Process 4712 has 618.00 MiB memory in use. Including non-PyTorch memory, this process has 67.50 GiB memory in use. 70.00 GiB allowed; Of the allocated memory 60.25 GiB is allocated by PyTorch, with 328.00 MiB allocated in private pools (e.g., CUDA Graphs), and 5.50 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
		"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 640.00 MiB. GPU 0 has a total capacity of 191.98 GiB of which 0 bytes is free. Of the allocated memory 180.50 GiB is allocated by PyTorch, and 7.25 GiB is reserved by PyTorch but unallocated.",
	}
}

func oomOf(t *testing.T, text string) monitor.LogReading {
	t.Helper()
	var found []monitor.LogReading
	for _, r := range parseAll(text) {
		switch r.Kind {
		case monitor.LogProgress:
		case monitor.LogOOM:
			found = append(found, r)
		case monitor.LogMemory:
			t.Fatalf("a memory reading out of a failure: %s\n%q", digest([]monitor.LogReading{r}), text)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d events out of %q", len(found), text)
	}
	return found[0]
}

func TestAFailureIsReadWhereverItIsBroken(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, text := range oomTexts() {
		want := digestOOM(oomOf(t, text))
		for range 300 {
			broken := wrapped(text, 40+r.IntN(90))
			if got := digestOOM(oomOf(t, broken)); got != want {
				t.Fatalf("got %s\nwant %s\n%s", got, want, broken)
			}
		}
	}
}

func TestAFailureIsReadInEveryDress(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, text := range oomTexts() {
		want := digestOOM(oomOf(t, text))
		broken := strings.Replace(strings.Replace(text, ". ", ".\n", 1), ", ", ",\n", 1)
		for _, d := range dresses() {
			for _, form := range []string{text, broken} {
				if d.name == "quoted" && form == broken {
					continue
				}
				if got := digestOOM(oomOf(t, dressed(r, d, form))); got != want {
					t.Errorf("%s\n got %s\nwant %s\n%s", d.name, got, want, dressed(r, d, form))
				}
			}
		}
	}
}

func TestAFailureIsReadInEveryDressWhereverItIsBroken(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, d := range dresses() {
		for _, text := range oomTexts() {
			want := digestOOM(oomOf(t, text))
			for range 20 {
				form := dressed(r, d, wrapped(text, 60+r.IntN(90)))
				if got := digestOOM(oomOf(t, form)); got != want {
					t.Errorf("%s\n got %s\nwant %s\n%s", d.name, got, want, form)
				}
			}
		}
	}
}

// wrapped breaks a text every width bytes, as a console does.
func wrapped(text string, width int) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + "\n")
		text = text[width:]
	}
	return b.String() + text
}

// digestOOM writes an event without its place.
func digestOOM(r monitor.LogReading) string {
	return strings.ReplaceAll(fmt.Sprintf("%+v gpu %v", *r.OOM, r.GPU), "why:{Code:0 Detail:}", "")
}
