package doctor

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/torch"
)

type tree struct {
	t    *testing.T
	root string
}

func (tr tree) put(name, text string) {
	tr.t.Helper()
	path := filepath.Join(tr.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) link(to, name string) {
	tr.t.Helper()
	path := filepath.Join(tr.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		tr.t.Fatal(err)
	}
}

const torchMaps = "7f0000000000-7f0000001000 r--p 00000000 08:01 99  /opt/env/lib/python3.11/site-packages/torch/lib/libc10_cuda.so\n"

func TestTheVersionOfPyTorchIsReadBesideItsLibrary(t *testing.T) {
	const file = "7/root/opt/env/lib/python3.11/site-packages/torch/version.py"
	for name, c := range map[string]struct {
		maps, text string
		want       string // "" for unknown
	}{
		"as PyTorch writes it": {torchMaps, "from typing import Optional\n\n__all__ = ['__version__']\n__version__ = '2.6.0+cu124'\ndebug = False\n", "2.6.0+cu124"},
		"with a type":          {torchMaps, "__version__: str = \"1.13.1\"\n", "1.13.1"},
		"a nightly":            {torchMaps, "__version__ = '2.9.0.dev20250801+cu128'\n", "2.9.0.dev20250801+cu128"},
		"the library was replaced under the job": {"7f0-7f1 r--p 0 08:01 99 /opt/env/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so (deleted)\n",
			"__version__ = '2.6.0'\n", "2.6.0"},
		"not a version":        {torchMaps, "__version__ = '$(rm -rf /)'\n", ""},
		"an escape in it":      {torchMaps, "__version__ = '2.6\x1b[2J'\n", ""},
		"nothing":              {torchMaps, "", ""},
		"no PyTorch":           {"00400000-00401000 r-xp 0 08:01 1 /usr/bin/python\n", "__version__ = '2.6.0'\n", ""},
		"very long":            {torchMaps, "__version__ = '2." + string(make([]byte, 1<<20)) + "'\n", ""},
		"a relative path":      {"7f0-7f1 r--p 0 08:01 99 /../../etc/torch/lib/libc10_cuda.so\n", "__version__ = '2.6.0'\n", ""},
		"another name nearby":  {torchMaps, "__version__2 = '2.6.0'\n", ""},
		"in the middle of one": {torchMaps, "x = '__version__ = \\'2.6.0\\''\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tr := tree{t, t.TempDir()}
			tr.put("7/maps", c.maps)
			tr.put(file, c.text)
			got := torchVersion(tr.root, 7)
			if v, ok := got.Get(); v != c.want || ok != (c.want != "") {
				t.Errorf("%q (%v), want %q", v, got.Why(), c.want)
			}
		})
	}
}

func TestAVersionFileThatIsNoneIsNotFollowedOutNorWaitedFor(t *testing.T) {
	const file = "7/root/opt/env/lib/python3.11/site-packages/torch/version.py"
	t.Run("a link out of the job's root", func(t *testing.T) {
		tr := tree{t, t.TempDir()}
		tr.put("7/maps", torchMaps)
		tr.put("outside.py", "__version__ = '6.6.6'\n")
		tr.link(filepath.Join(tr.root, "outside.py"), file)
		if v, ok := torchVersion(tr.root, 7).Get(); ok {
			t.Errorf("read %q from outside", v)
		}
	})
	t.Run("a pipe that nobody writes to", func(t *testing.T) {
		tr := tree{t, t.TempDir()}
		tr.put("7/maps", torchMaps)
		if err := os.MkdirAll(filepath.Join(tr.root, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(tr.root, file), 0o644); err != nil {
			t.Fatal(err)
		}
		done := make(chan bool, 1)
		go func() { done <- readVersion(tr.root+"/7/root", file[len("7/root/"):]).Known() }()
		select {
		case known := <-done:
			if known {
				t.Error("a pipe has a version")
			}
		case <-time.After(30 * time.Second):
			t.Error("it waits for a writer")
		}
	})
}

func TestThisContainerIsNamedWhereItTellsItsName(t *testing.T) {
	docker := monitor.Container{Runtime: "docker", ID: "0123456789ab"}
	for name, c := range map[string]struct {
		files map[string]string
		seen  monitor.Container
		env   []string
		host  string
		want  Container
	}{
		"no container":                {nil, monitor.Container{}, nil, "box", Container{}},
		"docker, its own host name":   {map[string]string{".dockerenv": ""}, docker, nil, "0123456789ab", Container{Runtime: "docker", ID: "0123456789ab"}},
		"docker, a host name given":   {nil, docker, nil, "trainer", Container{Runtime: "docker", ID: "0123456789ab", Name: "trainer"}},
		"docker that shows no group":  {map[string]string{".dockerenv": ""}, monitor.Container{}, nil, "trainer", Container{Runtime: "docker", Name: "trainer"}},
		"podman tells everything":     {map[string]string{"run/.containerenv": "engine=\"podman-4\"\nname=\"train\"\nid=\"0123456789abcdef\"\nimage=\"docker.io/library/img:1\"\n"}, monitor.Container{}, nil, "x", Container{"podman", "0123456789ab", "train", "docker.io/library/img:1"}},
		"podman tells nothing":        {map[string]string{"run/.containerenv": ""}, monitor.Container{}, nil, "x", Container{Runtime: "podman", Name: "x"}},
		"a pod is named by its host":  {nil, monitor.Container{Runtime: "containerd", ID: "ffff"}, []string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, "train-0", Container{Runtime: "kubernetes", ID: "ffff", Name: "train-0"}},
		"an image that names itself":  {nil, docker, []string{"NVIDIA_PYTORCH_VERSION=24.05"}, "", Container{Runtime: "docker", ID: "0123456789ab", Image: "nvcr.io/nvidia/pytorch 24.05"}},
		"a service is no container":   {nil, monitor.Container{Runtime: "systemd", ID: "x.service"}, nil, "box", Container{Runtime: "systemd", ID: "x.service"}},
		"a name that terminals obey":  {map[string]string{"run/.containerenv": "name=\"a\x1b[2Jb\"\n"}, monitor.Container{}, nil, "", Container{Runtime: "podman", Name: "ab"}},
		"a job of Slurm has no image": {nil, monitor.Container{Runtime: "slurm", ID: "42"}, nil, "node1", Container{Runtime: "slurm", ID: "42"}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := tree{t, t.TempDir()}
			for file, text := range c.files {
				tr.put(file, text)
			}
			if diff := cmp.Diff(c.want, ownContainer(Config{Root: tr.root, Environ: c.env}, c.seen, c.host)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHidepidIsSeenInTheLineOfTheMount(t *testing.T) {
	for options, want := range map[string]bool{
		"rw": false, "rw,hidepid=2": true, "rw,hidepid=invisible,gid=5": true, "rw,hidepid=0": false, "rw,hidepid=off": false, "rw,hidepid=ptraceable": true,
	} {
		tr := tree{t, t.TempDir()}
		tr.put("self/mountinfo", "22 1 0:20 / /sys rw - sysfs sysfs rw,hidepid=2\n23 1 0:21 / "+tr.root+" rw,nosuid - proc proc "+options+"\n")
		if got := hidesProcesses(tr.root); got != want {
			t.Errorf("%s: %v", options, got)
		}
	}
}

func TestTheOwnerOfAProcessIsReadFromItsStatus(t *testing.T) {
	tr := tree{t, t.TempDir()}
	tr.put("7/status", "Name:\tpython\nUid:\t1000\t1000\t1000\t1000\n")
	tr.put("8/status", "Name:\tpython\nUid:\tx\n")
	tr.put("8/maps", "")
	for pid, want := range map[int]torch.Owner{7: {UID: 1000, Known: true}, 8: {Mapped: true}, 9: {}} {
		if diff := cmp.Diff(want, owner(tr.root, pid)); diff != "" {
			t.Errorf("%s: %s", strconv.Itoa(pid), diff)
		}
	}
}

func TestGatheringNeverFails(t *testing.T) {
	empty := t.TempDir()
	f := Gather(Config{Proc: empty, Cgroup: empty, Root: empty}, monitor.Sample{Torch: []monitor.Allocator{{PID: 7}}})
	if len(f.Jobs) != 1 || f.NestedPIDs.Known() || f.Own.Version != 0 {
		t.Errorf("%+v", f)
	}
	for _, c := range Judge(f).Checks {
		if c.Reason == "" {
			t.Errorf("%+v", c)
		}
	}
}
