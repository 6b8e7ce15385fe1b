//go:build linux

package torch

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const someMaps = `55d0c0000000-55d0c0001000 r--p 00000000 fe:01 1234                       /usr/bin/python3.12
55d0c0001000-55d0c0002000 rw-p 00001000 fe:01 1234                       /usr/bin/python3.12
55d0c1000000-55d0c2000000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000010000 r--p 00000000 fe:01 99                         /opt/my libs/torch/lib/libc10_cuda.so (deleted)
7f0000010000-7f0000020000 rw-p 0000f000 fe:01 99                         /opt/my libs/torch/lib/libc10_cuda.so (deleted)
7f0000020000-7f0000030000 rw-p 00000000 00:00 0
7f0000040000-7f0000041000 r--s 00000000 00:05 7                          /dev/nvidia0
7f0000050000-7f0000051000 r--p 00000000 fe:01 5                          /lib/libc10_cuda_notes.txt
nonsense
7f0000045000-7f0000046000 r--p 00000000 fe:01 5                          /lib/out-of-order.so
7f0000060000-7f0000061000 r--p 00000000 fe:01 6                          /lib/libc10_cuda-0a1b2c.so
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`

func TestMapsAreReadByNameAndPlace(t *testing.T) {
	got := parseMaps(nil, []byte(someMaps), "/usr/bin/python3.12")
	type row struct {
		lo   uint64
		rw   string
		role role
		name string
	}
	var short []row
	for _, m := range got {
		rw := ""
		if m.readable {
			rw += "r"
		}
		if m.writable {
			rw += "w"
		}
		short = append(short, row{m.lo, rw, m.role, m.name})
	}
	want := []row{
		{0x55d0c0000000, "r", roleExe, "python3.12"},
		{0x55d0c0001000, "rw", roleExe, "python3.12"},
		{0x55d0c1000000, "rw", roleNone, ""},
		{0x7f0000000000, "r", roleC10, "libc10_cuda.so (deleted)"},
		{0x7f0000010000, "rw", roleC10, "libc10_cuda.so (deleted)"},
		{0x7f0000020000, "rw", roleNone, ""},
		{0x7f0000040000, "r", roleNone, ""},
		{0x7f0000050000, "r", roleNone, ""},
		{0x7f0000060000, "r", roleC10, "libc10_cuda-0a1b2c.so"},
		{0xffffffffff600000, "", roleNone, ""},
	}
	if diff := cmp.Diff(want, short, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
}

func TestWritableRunsCrossMappingsAndStopAtGaps(t *testing.T) {
	s := addressSpace{maps: parseMaps(nil, []byte(someMaps), "")}
	cases := []struct{ addr, n, want uint64 }{
		{0x7f0000010000, 0x20000, 0x20000},
		{0x7f0000018000, 0x20000, 0x18000},
		{0x7f0000000000, 8, 0},
		{0x7f0000030000, 8, 0},
		{0x7f000001fff8, 16, 16},
		{0xfffffffffffffff8, 16, 0},
		{0, 8, 0},
	}
	for _, c := range cases {
		if got := s.writableRun(c.addr, c.n); got != c.want {
			t.Errorf("%#x+%#x: %#x, want %#x", c.addr, c.n, got, c.want)
		}
	}
}

func FuzzMaps(f *testing.F) {
	f.Add([]byte(someMaps))
	f.Add([]byte("0-0 rwxp 0 0 0 /libc10_cuda.so"))
	f.Add([]byte("1-ffffffffffffffff rw-p ffffffffffffffff 00:00 0 /libtorch_cuda.so"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := addressSpace{maps: parseMaps(nil, b, "/bin/x")}
		end := uint64(0)
		for i, m := range s.maps {
			if m.lo < end || m.hi <= m.lo {
				t.Fatalf("mapping %d out of order", i)
			}
			end = m.hi
			if at, ok := s.find(m.lo); !ok || at != i {
				t.Fatalf("mapping %d is not found", i)
			}
			if m.role != roleNone && (m.name == "" || strings.Contains(m.name, "/")) {
				t.Fatalf("mapping %d: name %q", i, m.name)
			}
		}
		s.eachWritable(0, 1<<63, func(lo, n uint64) {
			if n == 0 || s.writableRun(lo, n) != n {
				t.Fatalf("piece %#x+%#x cannot be written", lo, n)
			}
		})
		_ = kindOf(b)
	})
}

func TestStatIsReadPastAnyName(t *testing.T) {
	got, ok := parseStat([]byte("42 (a) R 1 ) (b)) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123456 1000 10\n"))
	if want := (identity{parent: 7, start: 123456, state: 'S'}); !ok || got != want {
		t.Errorf("%+v %v, want %+v", got, ok, want)
	}
	for _, bad := range []string{"", "42 (x", "42 (x) S", "42 (x) S -1 2", "42 (x) SS 1 2 3"} {
		if _, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestOwnProcessIsIdentifiedAlikeByBothWays(t *testing.T) {
	p := procfs{root: "/proc", limit: 1 << 20}
	a, err := p.identify(os.Getpid())
	if err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	s, err := openStat("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	b, err := s.read(make([]byte, 1024))
	if err != nil || a.start != b.start || a.parent != os.Getppid() || b.parent != a.parent {
		t.Errorf("%+v and %+v (%v)", a, b, err)
	}
}

func FuzzStat(f *testing.F) {
	f.Add([]byte("42 (python) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123456 1000 10\n"))
	f.Add([]byte("1 () R 0"))
	f.Add([]byte(")\x01\x00 0                  00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if id, ok := parseStat(b); ok && (id.parent < 0 || id.state == 0) {
			t.Errorf("%+v", id)
		}
		_, _ = statusField(b, "Tgid")
		_ = hasCapability(b, capSysPtrace)
		_ = parseEnviron(b)
		eachEntry(b, func([]byte) bool { return true })
	})
}

func TestClassNamesAreReadable(t *testing.T) {
	cases := map[string]string{
		"N3c104cuda20CUDACachingAllocator6Native22NativeCachingAllocatorE": "c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator",
		"8Standing":           "Standing",
		"N3rmm2mr4poolIiEE":   "N3rmm2mr4poolIiEE",
		"N1a\x1b[31mE":        "N1a??31mE",
		"N99999999999999999x": "N99999999999999999x",
		"Nπ":                  "N?",
	}
	for in, want := range cases {
		if got := readable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
