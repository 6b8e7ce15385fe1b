package proc

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func FuzzStatNeverPanicsAndKeepsItsOwnName(f *testing.F) {
	line := "446 (a) b) R 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 3 0 777 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9\n"
	f.Add([]byte(line), "python")
	f.Add([]byte("1 () Z"), ") R 1 (")
	f.Add([]byte("99999999999999999999 (x) S 1"), "\n")
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		if s, err := parseStat(raw, "python"); err == nil && !bytes.Contains(raw, []byte(s.name)) {
			t.Errorf("name %q is not in %q", s.name, raw)
		}
		s, err := parseStat([]byte(strings.Replace(line, "a) b", name, 1)), "python")
		if err != nil {
			t.Fatalf("name %q: %v", name, err)
		}
		if s.name != name || s.pid != 446 || s.parent != 1 || s.startTicks != 777 || s.cpuTicks != 9+10 || s.threads != 3 || s.state != 'R' || s.rssPages != 2 {
			t.Errorf("name %q gives %+v", name, s)
		}
	})
}

func FuzzStatusNeverPanics(f *testing.F) {
	f.Add([]byte("Name:\tx\nTgid:\t7\nUid:\t1\t4294967295\t3\t4\nNSpid:\t7\t1\n"))
	f.Add([]byte("NSpid:\nUid:\t-1\nTgid\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := parseStatus(raw)
		for _, pid := range s.namespacePIDs {
			if pid < 0 {
				t.Errorf("%q gives PID %d", raw, pid)
			}
		}
	})
}

func TestAnEntryAcrossTheEndOfTheBufferIsKeptWhole(t *testing.T) {
	for _, before := range []int{environBytes - 30, environBytes - 3, environBytes, 2*environBytes - 10} {
		raw := "LONG=" + strings.Repeat("x", before-len("LONG=")) + "\x00CUDA_VISIBLE_DEVICES=0,1,2,3\x00RANK=3\x00"
		env, err := parseEnviron(strings.NewReader(raw), make([]byte, environBytes))
		if err != nil || env["CUDA_VISIBLE_DEVICES"] != "0,1,2,3" || env["RANK"] != "3" {
			t.Errorf("behind %d bytes: %v, %v", before, env, err)
		}
	}
}

func FuzzEnvironKeepsAllowedNamesAlone(f *testing.F) {
	f.Add([]byte("RANK=1\x00HF_TOKEN=x\x00RANK=2\x00"))
	f.Add([]byte("RANK"))
	f.Add([]byte("\x00\x00"))
	f.Add([]byte("=\x00RANK=\xff\x00LONG=" + strings.Repeat("x", environBytes) + "\x00WORLD_SIZE=3"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		env, err := parseEnviron(bytes.NewReader(raw), make([]byte, environBytes))
		piecemeal, err2 := parseEnviron(iotest.OneByteReader(bytes.NewReader(raw)), make([]byte, environBytes))
		if (err == nil) != (err2 == nil) || len(env) != len(piecemeal) {
			t.Fatalf("read at once %v %v, in pieces %v %v", env, err, piecemeal, err2)
		}
		for name, value := range env {
			if !allowed[name] || piecemeal[name] != value {
				t.Errorf("kept %q=%q, in pieces %q", name, value, piecemeal[name])
			}
		}
		s := settingsOf(env)
		for _, text := range []string{s.visibleDevices.Or(""), s.allocConf.Or(""), s.deviceOrder.Or("")} {
			if !utf8.ValidString(text) {
				t.Errorf("%q is no UTF-8", text)
			}
		}
		if s.rank.Or(0) < 0 || s.world.Or(0) < 0 {
			t.Errorf("negative rank of %q", raw)
		}
	})
}

func FuzzCgroupNeverPanicsAndNeverLeavesTheRoot(f *testing.F) {
	f.Add("0::/docker/" + strings.Repeat("0a", 32) + "\n")
	f.Add("5:memory,cpu:/slurm/uid_0/job_1/step_2\n0::/../x\n")
	f.Add("0::/kubepods/pod1a2b3c4d-1111-2222-3333-444455556666")
	f.Add("::\n:::\n0::x\n")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		c := parseCgroup(text)
		got := c.container()
		if got.Runtime == "" && (got.ID != "" || got.Pod != "") {
			t.Errorf("%q has an id and no runtime: %+v", text, got)
		}
		if len(got.ID) > 90 || len(got.Pod) > 36 {
			t.Errorf("%q gives a long id: %+v", text, got)
		}
		if limit := (limits{root: root, own: c}).of(c); limit.Known() {
			t.Errorf("%q has a limit of %v below an empty folder", text, limit)
		}
		containerOfMounts(text)
	})
}

func FuzzLimitIsNeverNegative(f *testing.F) {
	f.Add("max\n")
	f.Add("18446744073709551615")
	f.Add("-1")
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := parseLimit(text); err == nil && n < 0 {
			t.Errorf("%q is %d", text, n)
		}
	})
}
