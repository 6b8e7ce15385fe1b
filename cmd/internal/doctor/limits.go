package doctor

import (
	"fmt"
	"strings"

	"github.com/vramscope/vramscope/monitor/proc"
)

// limitNear is the share of a limit from which on it is worth a word.
const limitNear = 0.9

func (f *Facts) cgroup() Check {
	r := f.Own
	where := "control groups version " + fmt.Sprint(r.Version)
	if f.Container.Runtime != "" {
		where += ", " + f.Container.text()
	}
	switch {
	case r.Version == 0:
		return lacking(IDCgroup, Unavailable, "memory limits cannot be read: "+r.LimitBytes.Why().String(), "mount /sys/fs/cgroup into the container")
	case !r.LimitBytes.Known():
		return good(IDCgroup, where+"; "+r.LimitBytes.Why().String())
	}
	said := where + "; " + limitText(r)
	if trouble, cure := limitTrouble(r); trouble != "" {
		return lacking(IDCgroup, Partial, said+"; "+trouble, cure)
	}
	return good(IDCgroup, said)
}

func (c Container) text() string {
	parts := []string{c.Runtime}
	if c.ID != "" {
		parts = append(parts, c.ID)
	}
	if c.Name != "" {
		parts = append(parts, "named "+c.Name)
	}
	if c.Image != "" {
		parts = append(parts, "image "+c.Image)
	}
	return strings.Join(parts, " ")
}

func limitText(r proc.Resources) string {
	said := "memory limit " + size(r.LimitBytes.Or(0))
	if used, ok := r.UsedBytes.Get(); ok {
		said += ", in use " + size(used)
	}
	return said
}

// limitTrouble says what speaks for a limit that is too low.
func limitTrouble(r proc.Resources) (trouble, cure string) {
	const higher = "load less data at once or start fewer workers; or raise the limit (docker run --memory, Kubernetes limits.memory, srun --mem)"
	used, known := r.UsedBytes.Get()
	limit, limited := r.LimitBytes.Get()
	switch {
	case r.OOMKills.Or(0) > 0:
		return fmt.Sprintf("the kernel has killed %s here for this limit", plural(int(r.OOMKills.Or(0)), "process")), higher
	case known && limited && float64(used) >= limitNear*float64(limit):
		return "the limit is nearly reached", higher
	}
	return "", ""
}

func (f *Facts) cpu() Check {
	r := f.Own
	var said []string
	if cpus, ok := r.CPUs.Get(); ok {
		said = append(said, fmt.Sprintf("a quota of %.1f processors", cpus))
	}
	if set, ok := r.Cpuset.Get(); ok {
		n, _ := proc.CountCPUs(set)
		said = append(said, fmt.Sprintf("%s to run on (%s)", plural(n, "processor"), set))
	}
	switch {
	case len(said) == 0 && r.Version == 0:
		return lacking(IDCPU, Unavailable, "quotas cannot be read: "+r.CPUs.Why().String(), "mount /sys/fs/cgroup into the container")
	case len(said) == 0:
		return good(IDCPU, "no quota is set")
	case r.Throttled.Or(0) > 0:
		return lacking(IDCPU, Partial, strings.Join(said, ", ")+fmt.Sprintf("; the quota ran out in %d periods, which slows loading of data", r.Throttled.Or(0)),
			"start fewer DataLoader workers", "raise the quota (docker run --cpus, Kubernetes limits.cpu)")
	}
	return good(IDCPU, strings.Join(said, ", "))
}

// smallShm is Docker's default, on which DataLoader workers of any size fail.
const smallShm = 64 << 20

func (f *Facts) shm() Check {
	space, ok := f.Shm.Get()
	if !ok {
		return lacking(IDShm, Unavailable, f.Shm.Why().String(), "mount a tmpfs on /dev/shm")
	}
	return shmCheck(space)
}

func shmCheck(s proc.Space) Check {
	said := fmt.Sprintf("/dev/shm %s, in use %s", size(s.TotalBytes), size(s.UsedBytes))
	const cure = "give the container more with --ipc=host or --shm-size=8g (Kubernetes: an emptyDir of medium Memory on /dev/shm); or train with num_workers=0"
	switch {
	case s.TotalBytes <= smallShm:
		return lacking(IDShm, Partial, said+": Docker's default is too small for DataLoader workers, which pass batches through it", cure)
	case float64(s.UsedBytes) >= limitNear*float64(s.TotalBytes):
		return lacking(IDShm, Partial, said+": it is nearly full, and DataLoader workers end with a bus error when it is", cure)
	}
	return good(IDShm, said)
}
