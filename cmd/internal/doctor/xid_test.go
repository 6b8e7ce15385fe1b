package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestXidLinesAreFoundInTheKernelsLog(t *testing.T) {
	log := `6,1,0,-;Linux version 6.8
4,900,5000,-;NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
4,901,5001,-;NVRM: Xid (PCI:0000:af:00): 31, pid=4242, name=python3, Ch 00000008
4,902,5002,-;NVRM: Xid (0000:01:00): 43, Ch 1
4,903,5003,-;NVRM: Xid (PCI:` + "\x1b[2J" + `): 79, a line of nobody
4,904,5004,-;a job says NVRM: Xid
`
	name := filepath.Join(t.TempDir(), "kmsg")
	if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []Xid{{79, "0000:3b:00"}, {31, "0000:af:00"}, {43, "0000:01:00"}}
	if diff := cmp.Diff(want, readXids(name)); diff != "" {
		t.Error(diff)
	}
	if got := readXids(filepath.Join(t.TempDir(), "none")); got != nil {
		t.Errorf("%v", got)
	}
}

func TestOnlyXidsOfTheDeviceAskForACure(t *testing.T) {
	for name, c := range map[string]struct {
		list []Xid
		says string
		cure bool
	}{
		"none":                        {nil, "", false},
		"faults of a job":             {[]Xid{{31, "a"}, {13, "b"}}, "2 Xid errors since it begins, one of them Xid 13 on b (a kernel of a job failed)", false},
		"the device, then a job":      {[]Xid{{79, "a"}, {31, "b"}}, "Xid 79 on a (the GPU has fallen off the bus)", true},
		"a code that is not known":    {[]Xid{{999, "a"}}, "1 Xid error since it begins, one of them Xid 999 on a", true},
		"the newest of two is quoted": {[]Xid{{48, "a"}, {79, "b"}}, "Xid 79 on b", true},
	} {
		said, cures := xidFacts(c.list)
		if got := strings.Join(said, ""); !strings.Contains(got, c.says) || (len(cures) > 0) != c.cure {
			t.Errorf("%s: %q, cures %q", name, got, cures)
		}
	}
}
