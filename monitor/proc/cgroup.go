package proc

import (
	"regexp"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// cgroups are the control groups of a process, read from /proc/PID/cgroup
// (cgroups(7)).
type cgroups struct {
	unified string // path in the one hierarchy of version 2
	memory  string // path in the memory hierarchy of version 1
	others  []string
}

// parseCgroup reads lines of the form ID:CONTROLLERS:PATH. Lines of another
// form are passed over.
func parseCgroup(text string) cgroups {
	var c cgroups
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "/") {
			continue
		}
		path := strings.TrimSuffix(parts[2], " (deleted)")
		switch {
		case parts[0] == "0" && parts[1] == "":
			c.unified = path
		case hasController(parts[1], "memory"):
			c.memory = path
		default:
			c.others = append(c.others, path)
		}
	}
	return c
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}

// container tells where the process runs. Every hierarchy is looked at,
// because a scheduler may use only some of them.
func (c cgroups) container() monitor.Container {
	best := monitor.Container{}
	for _, path := range append([]string{c.memory, c.unified}, c.others...) {
		found := classify(path)
		if best.Runtime == "" || best.Runtime == runtimeSystemd && found.Runtime != "" && found.Runtime != runtimeSystemd {
			best = found
		}
	}
	return best
}

// hidden tells that all paths end at the root that is seen from here, so that
// they say nothing: a process in a cgroup namespace looks so from inside.
func (c cgroups) hidden() bool {
	for _, path := range append([]string{c.memory, c.unified}, c.others...) {
		if path != "" && path != "/" {
			return false
		}
	}
	return true
}

// Runtime names that more than one rule gives.
const (
	runtimeDocker     = "docker"
	runtimePodman     = "podman"
	runtimeContainerd = "containerd"
	runtimeCRIO       = "cri-o"
	runtimeKubernetes = "kubernetes"
	runtimeSlurm      = "slurm"
	runtimeLXC        = "lxc"
	runtimeSystemd    = "systemd"
)

const hex64 = `([0-9a-f]{64})`

var (
	// podUID finds the pod, written with dashes by the cgroupfs driver and with
	// underscores by the systemd driver; static pods have 32 digits.
	podUID = regexp.MustCompile(`(?:^|[/-])pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?(?:[/:]|$)`)

	anyID = regexp.MustCompile(`(?:^|[^0-9a-f])` + hex64 + `(?:[^0-9a-f]|$)`)

	jobSegment = regexp.MustCompile(`^job_([0-9]{1,20})$`)

	// rules judge one segment of a path, with the one above it.
	rules = []struct {
		runtime string
		above   *regexp.Regexp // nil: any
		segment *regexp.Regexp // its first group is the ID
	}{
		{runtimePodman, nil, regexp.MustCompile(`^libpod-(?:payload-)?` + hex64 + `(?:\.scope)?$`)},
		{runtimeDocker, nil, regexp.MustCompile(`^docker-` + hex64 + `\.scope$`)},
		{runtimeDocker, regexp.MustCompile(`^docker$`), regexp.MustCompile(`^` + hex64 + `$`)},
		{runtimeCRIO, nil, regexp.MustCompile(`^crio-` + hex64 + `(?:\.scope)?$`)},
		{runtimeContainerd, nil, regexp.MustCompile(`^(?:cri-containerd|nerdctl|containerd)-` + hex64 + `\.scope$`)},
		{runtimeContainerd, regexp.MustCompile(`^(?:default|k8s\.io|moby|buildkit)$`), regexp.MustCompile(`^` + hex64 + `$`)},
		{runtimeContainerd, nil, regexp.MustCompile(`:(?:cri-containerd|nerdctl|containerd):` + hex64 + `$`)},
		{runtimeLXC, nil, regexp.MustCompile(`^lxc\.payload\.(.{1,64})$`)},
		{runtimeLXC, regexp.MustCompile(`^lxc(?:\.payload)?$`), regexp.MustCompile(`^(.{1,64})$`)},
		{"systemd-nspawn", regexp.MustCompile(`^machine\.slice$`), regexp.MustCompile(`^(?:machine-|systemd-nspawn@)(.{1,64})\.(?:scope|service)$`)},
	}

	userManager = regexp.MustCompile(`^user@[0-9]+\.service$`)
	service     = regexp.MustCompile(`^(.{1,80}\.service)$`)
)

// classify tells what a cgroup path says. The innermost container or job
// counts; a Kubernetes pod anywhere above it takes precedence.
func classify(path string) monitor.Container {
	if m := podUID.FindStringSubmatchIndex(path); m != nil && strings.Contains(path, "kubepods") {
		pod := strings.ReplaceAll(path[m[2]:m[3]], "_", "-")
		return monitor.Container{Runtime: runtimeKubernetes, Pod: pod, ID: lastID(path[m[3]:])}
	}
	segments := strings.Split(path, "/")
	for i := len(segments) - 1; i >= 0; i-- {
		above := ""
		if i > 0 {
			above = segments[i-1]
		}
		if c, ok := classifySegment(above, segments[i], segments[:i]); ok {
			return c
		}
	}
	for i := len(segments) - 1; i >= 0; i-- {
		if service.MatchString(segments[i]) && !userManager.MatchString(segments[i]) {
			return monitor.Container{Runtime: runtimeSystemd, ID: segments[i]}
		}
	}
	return monitor.Container{}
}

func classifySegment(above, segment string, before []string) (monitor.Container, bool) {
	if m := jobSegment.FindStringSubmatch(segment); m != nil && underSlurm(before) {
		return monitor.Container{Runtime: runtimeSlurm, ID: m[1]}, true
	}
	for _, rule := range rules {
		if rule.above != nil && !rule.above.MatchString(above) {
			continue
		}
		if m := rule.segment.FindStringSubmatch(segment); m != nil {
			return monitor.Container{Runtime: rule.runtime, ID: shortID(m[1])}, true
		}
	}
	return monitor.Container{}, false
}

// underSlurm tells Slurm's own folders: slurm/uid_N (version 1, with the node
// name where several daemons share a machine) and slurmstepd.scope (version 2).
func underSlurm(segments []string) bool {
	for _, s := range segments {
		if s == "slurm" || strings.HasPrefix(s, "slurm_") || strings.HasSuffix(s, "slurmstepd.scope") {
			return true
		}
	}
	return false
}

// lastID returns the last container id of a path, shortened, or nothing.
func lastID(path string) string {
	id := ""
	for segment := range strings.SplitSeq(path, "/") {
		if m := anyID.FindStringSubmatch(segment); m != nil {
			id = shortID(m[1])
		}
	}
	return id
}

// shortID cuts a container id to the 12 digits that docker ps prints; names
// stay whole.
func shortID(id string) string {
	if len(id) == 64 && strings.Trim(id, "0123456789abcdef") == "" {
		return id[:12]
	}
	return id
}
