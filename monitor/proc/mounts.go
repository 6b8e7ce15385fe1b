package proc

import (
	"regexp"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// mountRules find a container by the files that its runtime mounts over /etc.
// They are for processes whose cgroup path ends at the root of a namespace.
var mountRules = []struct {
	runtime string
	source  *regexp.Regexp
}{
	{runtimeKubernetes, regexp.MustCompile(`/pods/(?P<pod>[0-9a-f-]{32,36})/etc-hosts$`)},
	{runtimePodman, regexp.MustCompile(`/overlay-containers/(?P<id>[0-9a-f]{64})/userdata/`)},
	{runtimeDocker, regexp.MustCompile(`/containers/(?P<id>[0-9a-f]{64})/(?:hostname|hosts|resolv\.conf)$`)},
	{runtimeContainerd, regexp.MustCompile(`/nerdctl/.*/(?P<id>[0-9a-f]{64})/`)},
}

// containerOfMounts reads /proc/PID/mountinfo (proc_pid_mountinfo(5)): the
// fourth field is the folder on the file system, the fifth where it is
// mounted. A pod's rule wins, because its containers have the others' too.
func containerOfMounts(text string) monitor.Container {
	best := monitor.Container{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		switch fields[4] {
		case "/etc/hostname", "/etc/hosts", "/etc/resolv.conf":
		default:
			continue
		}
		for _, rule := range mountRules {
			m := rule.source.FindStringSubmatch(fields[3])
			if m == nil || best.Runtime == runtimeKubernetes {
				continue
			}
			best = monitor.Container{Runtime: rule.runtime}
			if i := rule.source.SubexpIndex("pod"); i > 0 {
				best.Pod = m[i]
			}
			if i := rule.source.SubexpIndex("id"); i > 0 {
				best.ID = shortID(m[i])
			}
			break
		}
	}
	return best
}
