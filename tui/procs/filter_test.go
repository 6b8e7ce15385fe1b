package procs_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/procs"
)

// filterSample is a machine with five processes: two ranks of ann's, a notebook
// of bob's, a number of another namespace and a log.
func filterSample() *monitor.Sample {
	at := scene.Start()
	rank := func(pid, rank int, bytes int64) monitor.Process {
		return monitor.Process{
			PID: pid, StartTicks: 9, Started: at.Add(-90 * time.Minute), User: "ann", Command: "python Train.py --lr=3", State: "R",
			CPUPercent: monitor.Known(101.2), HostBytes: monitor.Known[int64](14 * gib), Rank: monitor.Known(rank),
			Container: monitor.Container{Runtime: "docker", ID: "0123456789ab"},
		}
	}
	torch := func(pid, gpu int, allocated, reserved int64) monitor.Allocator {
		return monitor.Allocator{PID: pid, StartTicks: 9, GPU: on(gpu), Origin: monitor.OriginAttach, State: monitor.AllocatorOK,
			AllocatedBytes: monitor.Known(allocated), ReservedBytes: monitor.Known(reserved)}
	}
	return &monitor.Sample{
		Time:    at,
		Holders: []monitor.Holder{holder(446, 0, 20*gib), holder(447, 1, 22*gib), holder(901, 0, 2*gib+1), {PID: 12, GPU: 3, UsedBytes: monitor.Known[int64](300 << 20)}},
		Processes: []monitor.Process{rank(446, 0, 0), rank(447, 1, 0), {
			PID: 901, StartTicks: 3, Started: at.Add(-73 * time.Hour), User: "bob", Command: "jupyter-lab", State: "Z",
			CPUPercent: monitor.Known(0.3), HostBytes: monitor.Known[int64](gib / 2),
		}},
		Torch: []monitor.Allocator{torch(446, 0, 9*gib, 18*gib), torch(447, 1, 19*gib, 20*gib), {
			Origin: monitor.OriginLog, State: monitor.AllocatorOK, AllocatedBytes: monitor.Known[int64](5 * gib), GPU: nowhere(),
		}},
	}
}

// matched returns the PIDs of the rows that a filter matches.
func matched(s *monitor.Sample, f procs.Filter) string {
	var out []string
	for _, l := range procs.Build(s).Lines(procs.View{Filter: f, Order: procs.Order{By: procs.ColumnPID}}).Lines {
		out = append(out, fmt.Sprint(l.Row.ID.Process.PID))
	}
	return strings.Join(out, " ")
}

func TestAFilterMatchesWhatItSays(t *testing.T) {
	const all = "12 446 447 901 0"
	for _, tt := range []struct{ filter, want string }{
		{"", all},
		{"  ", all},
		{"train", "446 447"},
		{"TRAIN.PY", "446 447"},
		{"ann", "446 447"},
		{"docker", "446 447"},
		{"user:ann gpu:1 mem>2G train", "447"},
		{"torch", "446 447 0"}, // the log's job is one of PyTorch as well
		{"mem>2G torch", "446 447"},
		{"gpu:1 mem>2G PyTorch", "447"},
		{"!torch", "12 901"},
		{`"torch"`, ""}, // quotes ask for the text
		{"user:ANN", "446 447"},
		{"user:an", ""},
		{"user~an", "446 447"},
		{"user:ann,bob", "446 447 901"},
		{"user!=ann", "901"}, // of the others the user is not known
		{"!user:ann", "12 901 0"},
		{"-user:ann", "12 901 0"},
		{"!-user:ann", "446 447"},
		{"user:unknown", "12 0"},
		{"user!=unknown", "446 447 901"},
		{`user:"unknown"`, ""},
		{"pid:446", "446"},
		{"pid>446", "447 901"},
		{"pid~44", "446 447"},
		{"gpu:0,3", "12 446 901"},
		{"gpu:0-1", "446 447 901"},
		{"gpu!=0", "12 447"},
		{"gpu>=1", "12 447"},
		{"gpu:unknown", "0"},
		{"rank:1", "447"},
		{"rank=0", "446"},
		{"cmd:train", "446 447"},
		{"cmd=train", ""},
		{`cmd="python train.py --lr=3"`, "446 447"},
		{`cmd!="jupyter-lab"`, "446 447 0"},
		{`"python train"`, "446 447"},
		{"'python train'", "446 447"},
		{"--lr=3", "446 447"},
		{`-"--lr=3"`, "12 901 0"},
		{"container:docker", "446 447"},
		{"container:0123", "446 447"},
		{"container:none", "901"},
		{"container!=docker", "901"},
		{"state:zombie", "901"},
		{"state:z", "901"},
		{"state:ok", "446 447 0"},
		{"state:log", "0"},
		{"state:other-namespace", "12"},
		{"mem>2G", "446 447 901"},
		{"mem>2GiB", "446 447 901"},
		{"mem>2048m", "446 447 901"},
		{"used<=2147483649B", "12 901"},
		{"mem=2G", "901"},
		{"mem=2.0G", "901"},
		{"mem=2.1G", ""},
		{"mem:300M", "12"},
		{"mem!=2G", "12 446 447"},
		{"mem>0", "12 446 447 901"},
		{"alloc>=9G alloc<19G", "446"},
		{"alloc:unknown", "12 901"},
		{"reserved>18.5G", "447"},
		{"cache>5g", "446"},
		{"nontorch>=2G", "446 447"},
		{"host<1G", "901"},
		{"cpu>50", "446 447"},
		{"cpu:101%", "446 447"},
		{"cpu<1", "901"},
		{"time>1h", "446 447 901"},
		{"time>1h30m", "901"},
		{"time=1h", "446 447"},
		{"time>=2d", "901"},
		{"user:ann | user:bob", "446 447 901"},
		{"user:ann|user:bob", "446 447 901"},
		{"gpu:1 user:ann | state:z", "447 901"}, // | binds weaker
		{"!train gpu:0 | gpu:3", "12 901"},
		{"~/x", ""},
		{"gpu==1", "447"},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			f, err := procs.ParseFilter(tt.filter)
			if err != nil {
				t.Fatal(err)
			}
			if got := matched(filterSample(), f); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAnErrorNamesTheWordAndWhatWouldBeRight(t *testing.T) {
	for _, tt := range []struct{ filter, word, says string }{
		{"torch mem>2", "mem>2", "2G"},
		{"mem>much", "mem>much", "such as 2G"},
		{"mem>", "mem>", "mem>2G"},
		{"mem>-2G", "mem>-2G", "such as 2G"},
		{"mem~2G", "mem~2G", "> <"},
		{"mme>2G", "mme>2G", "user pid gpu rank cmd"},
		{"mem > 2G", ">", "no spaces"},
		{"user>ann", "user>ann", "user:ann"},
		{"gpu:a", "gpu:a", "gpu:1"},
		{"gpu:3-1", "gpu:3-1", "whole number"},
		{"gpu>1,2", "gpu>1,2", "gpu>3"},
		{"rank~x", "rank~x", "rank:0-3"},
		{"time>5", "time>5", "1h30m"},
		{"time>5m1h", "time>5m1h", "1h30m"},
		{"cpu>many", "cpu>many", "50%"},
		{"user:", "user:", "user:ann"},
		{"!", "!", "!user:bob"},
		{"- x", "-", "-jupyter"},
		{`""`, `""`, "between the quotes"},
		{`a "b c`, `"b c`, "not closed"},
		{"| a", "|", "before"},
		{"a | | b", "|", "before"},
		{"a |", "|", "behind"},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			_, err := procs.ParseFilter(tt.filter)
			var we *procs.WordError
			if !errors.As(err, &we) {
				t.Fatalf("no error of a word: %v", err)
			}
			if we.Word != tt.word || tt.filter[we.Start:we.End] != tt.word || !strings.Contains(we.Problem, tt.says) {
				t.Errorf("got %v at %d to %d; want word %q and %q in it", err, we.Start, we.End, tt.word, tt.says)
			}
		})
	}
}

func TestWhileTypingTheFilterMatchesWhatIsClear(t *testing.T) {
	const all = "12 446 447 901 0"
	for _, tt := range []struct{ typed, want string }{
		{"u", "901"},
		{"user", ""},
		{"user:", all},
		{"user:a", "446 447"},
		{"user:ann", "446 447"},
		{"user:ann ", "446 447"},
		{"user:ann g", ""},
		{"user:ann gpu:", "446 447"},
		{"user:ann gpu:1", "447"},
		{"user:ann gpu:1,", "447"},
		{"user:ann me", ""},
		{"user:ann mem>", "446 447"},
		{"user:ann mem>2", "446 447"},
		{"user:ann mem>21G", "447"},
		{"pid:44", "446 447"},
		{"mme>2G", all},
		{"!", all},
		{"-", all},
		{`"`, all},
		{`"python t`, "446 447"},
		{"user:bob |", "901"},
		{"user:bob | ", "901"},
		{"user:bob | gpu:1", "447 901"},
		{"state:zom", "901"},
		{"time>1h3", all},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			f, err := procs.ParseTyping(tt.typed)
			if err != nil {
				t.Fatal(err)
			}
			if got := matched(filterSample(), f); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if _, err := procs.ParseTyping("mem>2 "); err == nil {
		t.Error("a finished word that is wrong is no error")
	}
}

// words are what filters are made of in the property tests.
var words = []string{
	"train", "user:ann", "gpu:0", "gpu>0", "mem>2G", "alloc:unknown", "!state:ok", "-jupyter", "cmd~py", "time<2h", "cpu>=50", "rank:0-1",
	"nontorch<1G", `"python train"`, "container:none", "host!=14G", "pid!=446",
}

func TestEveryBeginningOfAGoodFilterIsFineWhileTyping(t *testing.T) {
	whole := strings.Join(words, " | ") + " " + strings.Join(words, " ")
	for i := range len(whole) {
		if _, err := procs.ParseTyping(whole[:i]); err != nil {
			t.Fatalf("%q: %v", whole[:i], err)
		}
	}
}

func TestNotAndAndOrAreWhatTheyAreInLogic(t *testing.T) {
	parse := func(s string) procs.Filter {
		f, err := procs.ParseFilter(s)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var all [][]procs.Row
	for _, s := range append(samples(t)[:40], filterSample()) {
		all = append(all, procs.Build(s).Rows())
	}
	for _, a := range words {
		for _, b := range words {
			fa, fb, and, or, not := parse(a), parse(b), parse(a+" "+b), parse(a+" | "+b), parse("!"+a)
			for _, rows := range all {
				for i := range rows {
					r := &rows[i]
					ma, mb := fa.Match(r), fb.Match(r)
					if and.Match(r) != (ma && mb) || or.Match(r) != (ma || mb) || not.Match(r) == ma {
						t.Fatalf("%q %q on %+v", a, b, r.ID)
					}
				}
			}
		}
	}
}

func TestARowsOwnFiguresFindIt(t *testing.T) {
	for _, s := range samples(t) {
		rows := procs.Build(s).Rows()
		for i := range rows {
			r := &rows[i]
			if v, ok := r.UsedBytes.Get(); ok && v >= 0 && v < math.MaxInt64/2 {
				f, err := procs.ParseFilter(fmt.Sprintf("mem=%dB gpu:%d", v, max(0, r.ID.GPU)))
				if err != nil || r.ID.OnGPU && v < 1<<50 && !f.Match(r) {
					t.Fatalf("%d bytes: %v", v, err)
				}
			}
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, w := range slices.Concat(words, []string{"mem>", "\"", "a|b", "!-!x", "gpu:0,1-2", "\xff:\xfe", "user:\"a b", "time>1h30m", "--x", "time>1e9w"}) {
		f.Add(w)
	}
	rows := procs.Build(filterSample()).Rows()
	f.Fuzz(func(t *testing.T, s string) {
		filter, err := procs.ParseFilter(s)
		typing, typingErr := procs.ParseTyping(s)
		if typingErr != nil && err == nil {
			t.Fatalf("%q: wrong only while it is typed: %v", s, typingErr)
		}
		if done, doneErr := procs.ParseTyping(s + " "); err == nil && doneErr == nil {
			for i := range rows {
				if done.Match(&rows[i]) != filter.Match(&rows[i]) {
					t.Fatalf("%q: a finished filter means something else while typing", s)
				}
			}
		}
		var we *procs.WordError
		if err != nil && (!errors.As(err, &we) || s[we.Start:we.End] != we.Word || we.Word == "" || we.Problem == "") {
			t.Fatalf("%q: %v", s, err)
		}
		for i := range rows {
			filter.Match(&rows[i])
			typing.Match(&rows[i])
		}
	})
}
