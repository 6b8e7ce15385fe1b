package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzWhatIsReadOfFiles(f *testing.F) {
	f.Add("__version__ = '2.6.0'\n", torchLine)
	f.Add("NVRM: Xid (PCI:0000:3b:00): 79, x", "7f0-7f1 r--p 0 0:0 0 /x/torch/lib/libtorch_cuda.so (deleted)")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, maps string) {
		if m := versionLine.FindStringSubmatch(text); m != nil && (len(m[1]) > 50 || strings.ContainsAny(m[1], "\x00\x1b\n '\"")) {
			t.Errorf("version %q", m[1])
		}
		if name := torchLibrary(maps); name != "" && !strings.HasPrefix(name, "/") {
			t.Errorf("library %q", name)
		}
		file := filepath.Join(dir, "log")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, x := range readXids(file) {
			if x.Code < 0 || x.Code > 9999 || len(x.Device) > 20 {
				t.Errorf("%+v", x)
			}
		}
		_ = quoted(text, "name")
	})
}

const torchLine = "7f0000000000-7f0000001000 r--p 00000000 08:01 99  /opt/torch/lib/libc10_cuda.so\n"
