package catalog

const groupAround = "Around it"

func around() []Entry {
	return []Entry{hostEntry(), shmEntry(), containerEntry(), confEntry(), gpuErrorEntry(), spillEntry(), bugEntry()}
}

func hostEntry() Entry {
	return Entry{
		ID: HostRAM, Group: groupAround, Place: 12, Name: "The host ran out of memory, not the GPU",
		Meaning:  "The job was killed or refused for want of host memory: pinned buffers, offloaded weights, every rank loading the whole model, workers with copies of the dataset.",
		Needs:    "the job's output (exit code, or the text of the error)",
		Confirm:  "dmesg | grep -i 'killed process' names it; free memory of the GPU was plenty.",
		Refute:   "The text is CUDA's and has figures of the GPU.",
		Folklore: "nothing that is set for the GPU helps here.",
		claims: map[string]string{
			"killed": "The process was killed (signal 9), as the kernel does when the host runs out of memory: the GPU's figures do not show it",
			"alloc":  "Host memory could not be allocated: this is not the GPU",
			"pinned": "Pinned host memory is named in an error: the host's limit, not the GPU's",
		},
		Advice: []Advice{
			{Do: "Look at what the kernel says and at the memory of the job.", Code: "dmesg -T | grep -i oom; free -h"},
			{Do: "Pin less: pinned buffers are rounded up to a power of two.", Code: "DataLoader(pin_memory=False, num_workers=2, prefetch_factor=1)", Cost: "slower copies to the GPU."},
			{Do: "Load the model on rank 0 only, or on the meta device, or map the file.", Code: "from_pretrained(low_cpu_mem_usage=True); torch.load(mmap=True)"},
			{Do: "Offload less, or give the job more host memory.", Code: "kubernetes: resources.limits.memory; slurm: --mem"},
		},
	}
}

func shmEntry() Entry {
	return Entry{
		ID: DevShmTooSmall, Group: groupAround, Place: 11, Name: "/dev/shm of the container is too small",
		Meaning: "Loader workers hand batches over through /dev/shm, which is 64 MiB in a container unless asked otherwise. A worker died when it was full.",
		Needs:   "the job's output",
		Confirm: "df -h /dev/shm inside the container.",
		Refute:  "There is plenty free in it.",
		claims:  map[string]string{"text": "A loader worker died for want of shared memory: /dev/shm of the container is too small"},
		Advice: []Advice{
			{Do: "Start the container with more shared memory.", Code: "docker run --shm-size=16g …   (or --ipc=host)"},
			{Do: "Kubernetes: mount memory there.", Code: "volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 16Gi}}], mountPath: /dev/shm", Limits: "come on top of the pod's memory limit: it counts as the pod's memory."},
			{Do: "Without touching the container: fewer workers, or hand over through files.", Code: "torch.multiprocessing.set_sharing_strategy('file_system'); num_workers=0", Cost: "slower loading."},
		},
	}
}

func containerEntry() Entry {
	return Entry{
		ID: ContainerLimit, Group: groupAround, Place: 13, Name: "The container's memory limit",
		Meaning: "The job's container is close to (or was killed at) its limit of host memory. It has nothing to do with the GPU: the driver knows no memory limit per container.",
		Needs:   "the container's limit and the resident memory in it, or the job's output",
		Confirm: "memory.events of the cgroup counts oom_kill.",
		Refute:  "Most of the resident memory is file cache, which the kernel gives back.",
		claims: map[string]string{
			"run":  "The container holds {used} of the {limit} of host memory that it may have ({share})",
			"text": "The container was killed at its limit of host memory",
		},
		Advice: []Advice{
			{Do: "Raise the limit.", Code: "docker run --memory=64g; kubernetes: resources.limits.memory: 64Gi; slurm: --mem=64G"},
			{Do: "Use less: fewer workers, less prefetch, no pinned memory, memory-mapped datasets.", Code: "DataLoader(num_workers=2, prefetch_factor=1, pin_memory=False)"},
			{Do: "/dev/shm and tmpfs count as the container's memory as well."},
		},
	}
}

func confEntry() Entry {
	return Entry{
		ID: AllocConf, Group: groupAround, Place: 22, Name: "An allocator setting is wrong",
		Meaning:  "PYTORCH_ALLOC_CONF (before torch 2.9: PYTORCH_CUDA_ALLOC_CONF) holds a setting that does not exist, contradicts another, or has no effect in this version.",
		Needs:    "the environment of the process at its start",
		Confirm:  "tr '\\0' '\\n' < /proc/PID/environ | grep ALLOC_CONF",
		Refute:   "The script sets another value before it imports torch.",
		Folklore: "Setting it with os.environ after torch has started CUDA has no effect, and no error either.",
		claims: map[string]string{
			"unknown":         "The allocator setting {value} has an option that PyTorch does not know: {key}",
			"misspelt":        "The allocator setting {value} has the option {key}, which is {meant} misspelt",
			"both":            "max_split_size_mb and expandable_segments are both set: together they can make reserved climb",
			"tooold":          "expandable_segments is set, and torch {version} does not have it (it came with 2.1)",
			"async":           "The backend cudaMallocAsync is set; the other options beside it have no effect on it",
			"asyncexpandable": "expandable_segments is set beside the backend cudaMallocAsync, which does not know it",
			"nocache":         "PYTORCH_NO_CUDA_MEMORY_CACHING is set: every tensor asks the driver, which is many times slower",
		},
		Advice: []Advice{
			{Do: "Set it in the environment of the process, before Python starts, and only what is needed.", Code: "PYTORCH_ALLOC_CONF=expandable_segments:True python train.py"},
			{Do: "Use one of the two: expandable segments make max_split_size_mb unnecessary.", Limits: "either of them make room where live tensors fill the card."},
			{Do: "Take PYTORCH_NO_CUDA_MEMORY_CACHING out: it is for debugging."},
		},
	}
}

func gpuErrorEntry() Entry {
	return Entry{
		ID: GPUError, Group: groupAround, Place: 10, Name: "The GPU itself reports trouble",
		Meaning: "The driver counts errors of the GPU's memory, asks for a reset, or slows the chip down.",
		Needs:   "the driver's error counters, or Xid lines in the output",
		Confirm: "nvidia-smi -q -d ECC,ROW_REMAPPER,PERFORMANCE; dmesg | grep -i xid",
		Refute:  "The counters have not moved since the last reset.",
		claims: map[string]string{
			"text":        "The driver reported an error of the GPU: {text}",
			"remapfailed": "GPU {gpu} has no spare memory row left: it has to be replaced",
			"uncorrected": "GPU {gpu} has counted {count} of its memory that could not be corrected",
			"remap":       "GPU {gpu} has a bad memory row to take out of use: it needs a reset",
			"throttle":    "GPU {gpu} runs slower than it could: {reason}",
		},
		Advice: []Advice{
			{Do: "Save a checkpoint and move the job to another GPU."},
			{Do: "Have the GPU reset when nothing runs on it (an administrator).", Code: "nvidia-smi --gpu-reset -i N"},
			{Do: "For heat and power: look at cooling and at the power limit.", Code: "nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE"},
		},
	}
}

func spillEntry() Entry {
	return Entry{
		ID: SpillingToHost, Group: groupAround, Place: 57, Name: "Memory spills to the host",
		Meaning: "More is allocated than the card has: the driver (Windows, WSL 2, managed memory) moves pages to host memory. It does not fail, it crawls.",
		Needs:   "an error text or figures in which allocated is larger than the card",
		Confirm: "Task Manager shows shared GPU memory in use; steps are many times slower.",
		Refute:  "The total is that of another card.",
		claims:  map[string]string{"oom": "{allocated} are allocated on a card of {total}: memory spills to the host, and what seems to fit is slow"},
		Advice: []Advice{
			{Do: "Forbid the spill, so that it fails honestly.", Code: "NVIDIA Control Panel: CUDA – Sysmem Fallback Policy: Prefer No Sysmem Fallback"},
			{Do: "Then make the job smaller: bf16, quantised weights, a smaller batch.", Code: "torch.autocast('cuda', dtype=torch.bfloat16); load_in_4bit=True"},
		},
	}
}

func bugEntry() Entry {
	return Entry{
		ID: DriverOrAllocatorBug, Group: groupAround, Place: 59, Name: "A failure that no need for memory explains",
		Meaning: "The request is so large that it can only be an overflow: a negative or uninitialised size in an extension, an index type that is too small, or a defect of driver or library. Or far more was free than was asked for: then another process took the room and gave it back, a limit that the text does not name refused the request, or driver or library are at fault.",
		Needs:   "an error text",
		Confirm: "Print the shapes that go into the failing operation.",
		Refute:  "The shapes are meant, or little is free on the card while the job runs.",
		claims: map[string]string{
			"overflow": "{tried} were asked for in one piece: a size that overflowed, not a need for memory",
			"free":     "A request for only {tried} failed although {free} of {total} were free: a defect, a limit, or another process that took the room for a moment",
		},
		Advice: []Advice{
			{needs: []Tag{RoomLeft}, Do: "Watch who holds the card when it fails: another process may take the room for a moment.", Code: "nvidia-smi --query-compute-apps=pid,used_memory --format=csv -l 1"},
			{needs: []Tag{RoomLeft}, Do: "Look for a limit that the text does not name: a memory fraction, a MIG instance, a container's share of the card, or the host's memory limit.", Code: "nvidia-smi -L; ulimit -v"},
			{not: []Tag{RoomLeft}, Do: "Print the shapes before the failing line; look for −1, empty tensors and products beyond 2^31.", Code: "print(x.shape, x.numel())"},
			{Do: "Update the extension, the driver, and torch; if the only change was an update, go back one version."},
		},
	}
}
