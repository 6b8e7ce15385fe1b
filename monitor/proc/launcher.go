package proc

import (
	"path"
	"strings"
)

// launchers start the ranks of one job; their children belong together.
var launchers = wordSet(`torchrun accelerate accelerate-launch deepspeed horovodrun composer colossalai
	mpirun mpiexec mpiexec.hydra hydra_pmi_proxy orterun orted prterun prted srun slurmstepd jsrun aprun raylet`)

// launcherModules are launchers that are started as python -m MODULE.
var launcherModules = wordSet(`torch.distributed.run torch.distributed.launch accelerate.commands.launch
	deepspeed.launcher.launch deepspeed.launcher.runner composer.cli.launcher horovod.runner.launch`)

// boundaries are programs above which no job reaches.
var boundaries = wordSet(`systemd init sshd sshd-session login su sudo tmux screen dockerd containerd containerd-shim
	conmon crun runc tini dumb-init catatonit s6-svscan supervisord cron crond atd slurmd gdm lightdm
	jupyter-lab jupyter-notebook jupyter-labhub jupyterhub jupyter node code code-server`)

// shells may stand between a launcher and a rank, but group nothing.
var shells = wordSet(`sh bash zsh fish dash ksh tcsh csh`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// groups tells whether a program can be the common parent of one job's ranks.
func groups(name string) bool { return !isBoundary(name) && !shells[name] }

// isBoundary judges a short name, which the kernel cuts at 15 bytes; tmux and
// others add words of their own ("tmux: server").
func isBoundary(name string) bool {
	word, _, _ := strings.Cut(name, ":")
	return boundaries[word] || strings.HasPrefix(word, "(")
}

// isLauncher judges a command line: its program, or the script or module that
// Python runs.
func isLauncher(words []string) bool {
	if len(words) == 0 {
		return false
	}
	// slurmstepd writes "slurmstepd: [123.0]" over its command line.
	program, _, _ := strings.Cut(path.Base(words[0]), ":")
	if launchers[program] {
		return true
	}
	if !strings.HasPrefix(program, "python") && !strings.HasPrefix(program, "pypy") {
		return false
	}
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "-m":
			return i+1 < len(words) && launcherModules[words[i+1]]
		case word == "-c":
			return false
		case word == "-X" || word == "-W":
			i++
		case !strings.HasPrefix(word, "-"):
			return launchers[path.Base(word)]
		}
	}
	return false
}
