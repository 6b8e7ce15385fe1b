package procs_test

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/procs"
)

// machine is a sample in the making.
type machine struct{ monitor.Sample }

type option func(*monitor.Process)

func rank(rank, world int) option {
	return func(p *monitor.Process) { p.Rank, p.World = monitor.Known(rank), monitor.Known(world) }
}

func in(runtime, id string) option {
	return func(p *monitor.Process) { p.Container = monitor.Container{Runtime: runtime, ID: id} }
}

func of(user string) option { return func(p *monitor.Process) { p.User = user } }

// process adds one that uses no GPU. It starts after those with lower numbers.
func (m *machine) process(pid, parent int, program string, options ...option) *machine {
	p := monitor.Process{
		PID: pid, ParentPID: parent, StartTicks: uint64(pid), User: "ann", Name: program, Command: program,
		HostBytes: monitor.Known[int64](10 * gib), CPUPercent: monitor.Known(100.0),
	}
	for _, o := range options {
		o(&p)
	}
	m.Processes = append(m.Processes, p)
	return m
}

// job adds a process with PyTorch on a GPU, in GiB.
func (m *machine) job(pid, parent, gpu int, allocated, reserved float64, options ...option) *machine {
	m.process(pid, parent, "python", options...)
	return m.holds(pid, gpu, allocated, reserved)
}

func (m *machine) holds(pid, gpu int, allocated, reserved float64) *machine {
	m.Holders = append(m.Holders, holder(pid, gpu, int64((reserved+1)*gib)))
	m.Torch = append(m.Torch, monitor.Allocator{
		PID: pid, StartTicks: uint64(pid), GPU: on(gpu), State: monitor.AllocatorOK, Origin: monitor.OriginAttach,
		AllocatedBytes: monitor.Known(int64(allocated * gib)), ReservedBytes: monitor.Known(int64(reserved * gib)),
	})
	return m
}

// worker adds a forked process with a copy of its parent's figures.
func (m *machine) worker(pid, parent int) *machine {
	m.process(pid, parent, "python")
	m.Torch = append(m.Torch, monitor.Allocator{PID: pid, StartTicks: uint64(pid), State: monitor.AllocatorInherited, Reason: "a copy"})
	return m
}

func lines(m *machine, v procs.View) []string { return names(procs.Build(&m.Sample).Lines(v).Lines) }

func jobsOf(m *machine) []string {
	var out []string
	for _, l := range procs.Build(&m.Sample).Lines(procs.View{Mode: procs.Jobs, Order: procs.Order{By: procs.ColumnPID}}).Lines {
		s := strings.Repeat(".", l.Depth) + name(l.Row)
		out = append(out, strings.TrimSuffix(s, "+"))
	}
	return out
}

func TestRanksAreGroupedByWhatTellsThatTheyBelongTogether(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    *machine
		want []string
	}{
		{"a torchrun", new(machine).process(10, 1, "torchrun").job(11, 10, 0, 1, 2, rank(0, 2)).job(12, 10, 1, 1, 2, rank(1, 2)),
			[]string{"job10", ".11@0", ".12@1"}},
		{"a torchrun that is the first process of its container", new(machine).process(1, 0, "torchrun").job(11, 1, 0, 1, 2, rank(0, 2)).job(12, 1, 1, 1, 2, rank(1, 2)),
			[]string{"job1", ".11@0", ".12@1"}},
		{"wrapped ranks under mpirun", new(machine).process(10, 1, "mpirun").process(11, 10, "bash").process(12, 10, "bash").
			job(21, 11, 0, 1, 2, rank(0, 2)).job(22, 12, 1, 1, 2, rank(1, 2)),
			[]string{"job10", ".21@0", ".22@1"}},
		{"two torchruns under one batch script", new(machine).process(5, 1, "slurmstepd").process(6, 5, "bash").
			process(10, 6, "torchrun").job(11, 10, 0, 1, 2, rank(0, 2)).job(12, 10, 1, 1, 2, rank(1, 2)).
			process(20, 6, "torchrun").job(21, 20, 2, 1, 2, rank(0, 2)).job(22, 20, 3, 1, 2, rank(1, 2)),
			[]string{"job10", ".11@0", ".12@1", "job20", ".21@2", ".22@3"}},
		{"runs of a shell are no job", new(machine).process(6, 1, "bash").job(11, 6, 0, 1, 2).job(12, 6, 1, 1, 2),
			[]string{"11@0", "12@1"}},
		{"runs that were told they are alone are no job", new(machine).process(6, 1, "agent").job(11, 6, 0, 1, 2, rank(0, 1)).job(12, 6, 1, 1, 2, rank(0, 1)),
			[]string{"11@0", "12@1"}},
		{"two jobs of one launcher", new(machine).process(6, 1, "agent").job(11, 6, 0, 1, 2, rank(0, 2)).job(12, 6, 1, 1, 2, rank(1, 2)).
			job(13, 6, 2, 1, 2, rank(0, 4)).job(14, 6, 3, 1, 2, rank(1, 4)),
			[]string{"job6", ".11@0", ".12@1", "job6", ".13@2", ".14@3"}},
		{"a rank that could not be asked", new(machine).process(10, 1, "torchrun").job(11, 10, 0, 1, 2, rank(0, 2)).job(12, 10, 1, 1, 2),
			[]string{"job10", ".11@0", ".12@1"}},
		{"ranks without a launcher, in one container", new(machine).job(11, 0, 0, 1, 2, rank(0, 2), in("docker", "a")).job(12, 0, 1, 1, 2, rank(1, 2), in("docker", "a")),
			[]string{"job0", ".11@0", ".12@1"}},
		{"ranks of two containers", new(machine).job(11, 0, 0, 1, 2, rank(0, 2), in("docker", "a")).job(12, 0, 1, 1, 2, rank(1, 2), in("docker", "b")),
			[]string{"11@0", "12@1"}},
		{"ranks of two users", new(machine).job(11, 0, 0, 1, 2, rank(0, 2)).job(12, 0, 1, 1, 2, rank(1, 2), of("bob")),
			[]string{"11@0", "12@1"}},
		{"a rank that stands there twice", new(machine).job(11, 0, 0, 1, 2, rank(0, 2)).job(12, 0, 1, 1, 2, rank(0, 2)),
			[]string{"11@0", "12@1"}},
		{"one process on two GPUs", new(machine).job(11, 1, 0, 1, 2).holds(11, 1, 1, 2),
			[]string{"job11", ".11@0", ".11@1"}},
		{"a process and those that it spawned", new(machine).job(11, 1, 0, 0, 1).job(12, 11, 0, 1, 2).job(13, 11, 1, 1, 2),
			[]string{"job11", ".11@0", ".12@0", ".13@1"}},
		{"a worker that uses a GPU belongs to its rank's job", new(machine).process(10, 1, "torchrun").
			job(11, 10, 0, 1, 2, rank(0, 2)).job(12, 10, 1, 1, 2, rank(1, 2)).job(15, 11, 0, 0, 1, rank(0, 2)),
			[]string{"job10", ".11@0", ".12@1", ".15@0"}},
		{"a parent that is younger than its child is none", new(machine).process(90, 1, "torchrun").job(11, 90, 0, 1, 2).job(12, 90, 1, 1, 2),
			[]string{"11@0", "12@1"}},
	} {
		t.Run(tt.name, func(t *testing.T) { same(t, tt.want, jobsOf(tt.m)) })
	}
}

// torchrun is a job of ranks that reserved so many GiB.
func torchrun(reserved ...float64) *machine {
	m := new(machine).process(10, 1, "torchrun")
	for i, gib := range reserved {
		m.job(11+i, 10, i, gib/2, gib, rank(i, len(reserved)))
	}
	return m
}

func TestAJobShowsItsSums(t *testing.T) {
	m := torchrun(10, 20, 30)
	m.holds(11, 1, 1, 2) // rank 0 on a second device
	m.worker(51, 11).worker(52, 11).worker(53, 12)
	job := procs.Build(&m.Sample).Jobs()[0]
	got := map[procs.ColumnID]string{}
	for _, c := range procs.Columns() {
		if s := job.Row.Cell(c.ID, "–"); s != "" {
			got[c.ID] = s
		}
	}
	same(t, map[procs.ColumnID]string{
		"pid": "10", "user": "ann", "gpu": "0-2", "rank": "x3", "alloc": "31.0", "reserved": "62.0", "used": "66.0", "cache": "31.0",
		"nontorch": "4.0", "host": "30.0", "cpu": "300%", "time": "–", "command": "job: torchrun",
	}, got)
	same(t, "3 ranks on GPUs 0-2", job.Size())
	same(t, 3, job.Row.Workers)
	same(t, 0, len(job.Missing))
}

func TestASumWithoutAMemberIsALowerBound(t *testing.T) {
	m := torchrun(10, 20)
	m.Torch[1] = allocator(12, nowhere(), monitor.AllocatorDenied)
	m.Torch[1].StartTicks = 12
	job := procs.Build(&m.Sample).Jobs()[0]
	same(t, "10.0+", job.Row.Cell(procs.ColumnReserved, "–"))
	if want := "alloc, reserved, cache, non-torch at least that: 1 process could not be read"; !strings.Contains(job.Summary(), want) {
		t.Errorf("no %q in %q", want, job.Summary())
	}
	same(t, map[procs.ColumnID]int{"alloc": 1, "reserved": 1, "cache": 1, "nontorch": 1}, job.Missing)
	if job.Odd != nil {
		t.Errorf("the odd one out could be the one that is not known, got %v", job.Odd)
	}
	m.Torch[0] = allocator(11, nowhere(), monitor.AllocatorDenied)
	m.Torch[0].StartTicks = 11
	job = procs.Build(&m.Sample).Jobs()[0]
	why, missing := job.Row.Why(procs.ColumnReserved)
	if !missing || why.Code != monitor.NoPermission {
		t.Errorf("got %v", why)
	}
}

func TestASumWithAnAssumedFigureIsMarkedAsAssumed(t *testing.T) {
	m := torchrun(10, 20)
	job := procs.Build(&m.Sample).Jobs()[0]
	same(t, "32.0", job.Row.Cell(procs.ColumnUsed, "–"))
	m.Holders[1].Assumed = true
	job = procs.Build(&m.Sample).Jobs()[0]
	same(t, "32.0?", job.Row.Cell(procs.ColumnUsed, "–"))
	same(t, "30.0", job.Row.Cell(procs.ColumnReserved, "–"))
	if want := "used is assumed for 1 of 2"; !strings.Contains(job.Summary(), want) {
		t.Errorf("no %q in %q", want, job.Summary())
	}
}

func TestTheOddOneOutIsFarFromTheMedian(t *testing.T) {
	for _, tt := range []struct {
		name     string
		reserved []float64
		want     string
	}{
		{"alike", []float64{20, 20.5, 21, 20}, ""},
		{"one more", []float64{20, 91.2, 20, 21}, "rank 1 reserved 91.2 GiB, the median of the job is 20.5 GiB"},
		{"one less", []float64{20, 20, 5, 21}, "rank 2 reserved 5.0 GiB, the median of the job is 20.0 GiB"},
		{"two ranks", []float64{91.2, 21.1}, "rank 0 reserved 91.2 GiB, the other one 21.1 GiB"},
		{"a tenth is not beyond a tenth", []float64{20, 22, 20}, ""},
		{"small figures", []float64{0.1, 0.2, 0.1}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if odd := procs.Build(&torchrun(tt.reserved...).Sample).Jobs()[0].Odd; odd != nil {
				got = odd.String()
			}
			same(t, tt.want, got)
		})
	}
}

func TestAllocatedDecidesWhereReservedAgrees(t *testing.T) {
	m := torchrun(20, 20, 20)
	m.Torch[2].AllocatedBytes = monitor.Known[int64](18 * gib)
	same(t, "rank 2 allocated 18.0 GiB, the median of the job is 10.0 GiB", procs.Build(&m.Sample).Jobs()[0].Odd.String())
}

func TestABareContextOnAnotherRanksDeviceDoesNotHideTheOddOne(t *testing.T) {
	m := torchrun(20, 60, 20)
	m.Holders = append(m.Holders, holder(13, 0, gib/2))
	job := procs.Build(&m.Sample).Jobs()[0]
	same(t, "rank 1 reserved 60.0 GiB, the median of the job is 20.0 GiB", job.Odd.String())
	same(t, 0, len(job.Missing)) // what has no allocator misses none
}

func TestWithoutTheFiguresOfARankThereIsNoOddOne(t *testing.T) {
	m := torchrun(20, 60, 20, 20)
	m.Torch[3] = monitor.Allocator{PID: 14, StartTicks: 14, State: monitor.AllocatorDenied, Reason: "no"}
	if odd := procs.Build(&m.Sample).Jobs()[0].Odd; odd != nil {
		t.Errorf("got %v", odd)
	}
}

func TestAJobKeepsItsNameWhenRanksComeAndGo(t *testing.T) {
	a, b := torchrun(1, 2, 3), torchrun(1, 2, 3)
	b.Holders, b.Torch = b.Holders[1:], b.Torch[1:]
	same(t, procs.Build(&a.Sample).Jobs()[0].Row.ID, procs.Build(&b.Sample).Jobs()[0].Row.ID)
}

func TestAFilteredJobKeepsTheSumsOfTheWholeJob(t *testing.T) {
	f, err := procs.ParseFilter("gpu:1")
	if err != nil {
		t.Fatal(err)
	}
	m := torchrun(10, 20, 30)
	listing := procs.Build(&m.Sample).Lines(procs.View{Mode: procs.Jobs, Filter: f})
	same(t, []string{"job10+", ".12@1+"}, names(listing.Lines))
	same(t, "60.0", listing.Lines[0].Row.Cell(procs.ColumnReserved, "–"))
	same(t, []int{1, 3}, []int{listing.Matched, listing.Total})
}

func TestAFoldedJobStaysFoldedWhenTheOrderChanges(t *testing.T) {
	m := torchrun(10, 20)
	m.job(99, 1, 0, 1, 50)
	table := procs.Build(&m.Sample)
	v := procs.View{Mode: procs.Jobs, Order: procs.Order{By: procs.ColumnReserved, Descending: true}}
	same(t, []string{"99@0+", "job10+", ".12@1+", ".11@0+"}, names(table.Lines(v).Lines))
	v.Collapsed = v.Collapsed.Toggle(table.Lines(v).Lines[1].Fold)
	same(t, []string{"99@0+", "job10+>"}, names(table.Lines(v).Lines))
	same(t, 2, table.Lines(v).Lines[1].Below)
	v.Order.Descending = false
	same(t, []string{"job10+>", "99@0+"}, names(table.Lines(v).Lines))
	v.Collapsed = v.Collapsed.Toggle(table.Lines(v).Lines[0].Fold)
	same(t, []string{"job10+", ".11@0+", ".12@1+", "99@0+"}, names(table.Lines(v).Lines))
}

func TestTheTreeShowsLaunchersAndWorkers(t *testing.T) {
	m := torchrun(10, 20)
	m.worker(51, 11).worker(52, 51).job(99, 1, 0, 1, 50)
	same(t, []string{"99@0+", "10@", ".11@0+", "..51@", "...52@", ".12@1+"}, lines(m, procs.View{Mode: procs.Tree}))
	same(t, []string{"99@0+", "11@0+", "12@1+"}, lines(m, procs.View{}))
	table := procs.Build(&m.Sample)
	same(t, 2, table.Rows()[1].Workers)
	same(t, "python +2 workers", table.Rows()[1].Cell(procs.ColumnCommand, "–"))
	v := procs.View{Mode: procs.Tree, Order: procs.Order{By: procs.ColumnReserved}}
	same(t, []string{"10@", ".11@0+", "..51@", "...52@", ".12@1+", "99@0+"}, names(table.Lines(v).Lines))
	v.Order.Descending = true
	same(t, []string{"99@0+", "10@", ".12@1+", ".11@0+", "..51@", "...52@"}, names(table.Lines(v).Lines))
	v.Collapsed = v.Collapsed.Toggle(procs.ID{Process: monitor.ProcessKey{PID: 11, StartTicks: 11}, Whole: true})
	same(t, []string{"99@0+", "10@", ".12@1+", ".11@0+>"}, names(table.Lines(v).Lines))
	v.Collapsed = v.Collapsed.Toggle(table.Lines(v).Lines[1].Fold)
	same(t, []string{"99@0+", "10@>"}, names(table.Lines(v).Lines))
	same(t, 4, table.Lines(v).Lines[1].Below)
}

func TestALauncherStandsWhereItsFirstRankWould(t *testing.T) {
	m := torchrun(10, 20)
	m.job(99, 1, 3, 1, 50)
	same(t, []string{"10@", ".11@0+", ".12@1+", "99@3+"}, lines(m, procs.View{Mode: procs.Tree}))
}

func TestTheTreeKeepsThePathToAMatch(t *testing.T) {
	m := torchrun(10, 20)
	m.worker(51, 11)
	for filter, want := range map[string][]string{
		"pid:51":       {"(10@)", ".(11@0+)", "..51@"},
		"gpu:1":        {"(10@)", ".12@1+"},
		"cmd:torchrun": {"10@"},
		"pid:77":       nil,
	} {
		f, err := procs.ParseFilter(filter)
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, lines(m, procs.View{Mode: procs.Tree, Filter: f}))
	}
}

func TestParentsThatLeadInACircleEndSomewhere(t *testing.T) {
	m := new(machine).job(11, 13, 0, 1, 2).job(12, 11, 0, 1, 2).job(13, 12, 0, 1, 2).job(14, 14, 1, 1, 2)
	for i := range m.Processes {
		m.Processes[i].StartTicks, m.Torch[i].StartTicks = 0, 0
	}
	same(t, []string{"12@0+", ".13@0+", "..11@0+", "14@1+"}, lines(m, procs.View{Mode: procs.Tree}))
}

func TestEveryRowStandsOnceInEveryModeAndOrder(t *testing.T) {
	for _, s := range samples(t) {
		table := procs.Build(s)
		for _, mode := range []procs.Mode{procs.List, procs.Tree, procs.Jobs} {
			for _, c := range append(procs.Columns(), procs.Column{}) {
				listing := table.Lines(procs.View{Mode: mode, Order: procs.Order{By: c.ID, Descending: len(c.ID)%2 == 0}})
				rows := 0
				for _, l := range listing.Lines {
					if !l.Row.ID.IsJob() && !l.Row.ID.Whole {
						rows++
					}
				}
				if rows != len(table.Rows()) || listing.Total != rows || listing.Matched != rows {
					t.Fatalf("mode %d by %s: %d of %d rows, said %d", mode, c.ID, rows, len(table.Rows()), listing.Matched)
				}
			}
		}
	}
}

func TestTheRanksOfASceneMakeOneJob(t *testing.T) {
	sc := scene.DDP()
	jobs := procs.Build(sc.Last()).Jobs()
	same(t, 1, len(jobs))
	same(t, 2, jobs[0].Ranks)
}
