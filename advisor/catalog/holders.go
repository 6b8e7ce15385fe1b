package catalog

const groupHolders = "Who holds it"

func holders() []Entry {
	return []Entry{otherEntry(), zombieEntry(), libraryEntry(), nonTorchEntry(), workspaceEntry(), ncclEntry(), ddpEntry(), workersEntry(), imbalanceEntry()}
}

func otherEntry() Entry {
	return Entry{
		ID: OtherProcess, Group: groupHolders, Place: 20, Name: "Another process holds the card",
		Meaning: "A good part of the card is held by a process that is not this job. No change to this job's batch or model makes that room.",
		Needs:   "the driver's list of processes, or an error text with total, free and reserved",
		Confirm: "nvidia-smi lists the process. From inside a container others may not be listed although their memory counts.",
		Refute:  "The process belongs to the job: a rank, a loader worker, its own generation server.",
		claims: map[string]string{
			"run":      "Process {pid} ({name}) holds {held} of this card ({share}); this job (process {job}) holds {own}",
			"unlisted": "{held} of this card ({share}) are held by nobody who is listed here; the processes listed hold {own}",
			"named":    "Other processes held {held} of the {total} card ({share}) when a request for {tried} failed; this job held {own}",
			"hidden":   "{held} of the {total} card ({share}) were held by others whom the text does not name; this job held {own}",
			"outside":  "{held} of the {total} card ({share}) are neither free nor this job's: PyTorch held {own} when it failed",
		},
		Advice: []Advice{
			{Do: "See whose it is and agree with them, or take another GPU.", figures: "While they stay, {mine} of the card are all that this job can have.", Code: "nvidia-smi --query-compute-apps=pid,used_memory --format=csv; CUDA_VISIBLE_DEVICES=1"},
			{Do: "If it is your own: a notebook, an earlier run, a generation server. Stop it or give it a smaller share.", Code: "vLLM: --gpu-memory-utilization 0.4"}, //nolint:misspell // the name of the option
			{Do: "On a shared machine ask for the GPU exclusively. The driver has no memory limit per container: docker and Kubernetes cannot keep a neighbour from taking it all; MIG or a compute mode can.", Code: "nvidia-smi -c EXCLUSIVE_PROCESS   (needs root)"},
			{Do: "If a process is not listed, look from the host: containers see only their own.", Code: "nvidia-smi on the host, or docker run --pid=host"},
		},
	}
}

func zombieEntry() Entry {
	return Entry{
		ID: ZombieProcess, Group: groupHolders, Place: 19, Name: "A left-over process holds the card",
		Meaning: "A process that no longer does anything holds memory: its parent is gone and it uses no CPU. It is what a run that was stopped left behind.",
		Needs:   "the driver's list of processes and their parents",
		Confirm: "ps -o pid,ppid,stat,etime,cmd -p PID shows parent 1 and no CPU time passing.",
		Refute:  "The same process also holds memory on another GPU and works there: then it is a rank of a living job.",
		claims:  map[string]string{"run": "Process {pid} ({name}) holds {held} of this card ({share}) and looks left over from a run that is gone"},
		Advice: []Advice{
			{Do: "Make sure whose it is, then end it.", Code: "kill PID; after ten seconds kill -9 PID"},
			{Do: "If no process shows and memory is held, list who has the device open.", Code: "fuser -v /dev/nvidia*"},
			{Do: "Start jobs so that their workers end with them.", Code: "torchrun …, or: trap 'kill 0' EXIT"},
		},
	}
}

func libraryEntry() Entry {
	return Entry{
		ID: OtherLibrary, Group: groupHolders, Place: 24, Name: "Another library in the process holds it",
		Meaning: "Besides PyTorch another CUDA library in the same process holds memory. Several take most of the card at start unless told not to.",
		Needs:   "the driver's figure of the process, PyTorch's reserved, and a command line that names the library",
		Confirm: "Without that library the process uses that much less.",
		Refute:  "The memory is PyTorch's cache: reserved is as large.",
		claims:  map[string]string{"run": "{held} of the card ({share}) are held by this process outside PyTorch, which has reserved {reserved}: {library} runs in it"},
		Advice:  librariesAdvice(),
	}
}

// librariesAdvice is how to make other libraries take less.
func librariesAdvice() []Advice {
	return []Advice{
		{Do: "JAX and TensorFlow take most of the card at start unless told otherwise.", Code: "XLA_PYTHON_CLIENT_PREALLOCATE=false; TF_FORCE_GPU_ALLOW_GROWTH=true; or hide the GPU: tf.config.set_visible_devices([], 'GPU')"},
		{Do: "A generation engine in the training process takes its planned share first.", Code: "vllm_gpu_memory_utilization=0.3"}, //nolint:misspell // the name of the option
		{Do: "Share one pool between CuPy and PyTorch.", Code: "cupy.cuda.set_allocator(…), see 'pytorch_pfn_extras' or rmm.allocators.torch"},
		{Do: "empty_cache has no say over this memory; only the library that took it can give it back."},
	}
}

func nonTorchEntry() Entry {
	return Entry{
		ID: NonTorchMemory, Group: groupHolders, Place: 25, Name: "Much memory of the process is outside PyTorch",
		Meaning: "The process uses far more of the card than PyTorch has reserved, and more than a CUDA context with its libraries takes. Another library in the process holds it.",
		Needs:   "the driver's figure of the process and PyTorch's reserved (read, or from the log)",
		Confirm: "nvidia-smi's figure of the process minus torch.cuda.memory_reserved() is that large.",
		Refute:  "It is a context and NCCL buffers: 0.5 to 2 GiB, a little more with many ranks.",
		claims: map[string]string{
			"run": "{held} of the card ({share}) are held by this process outside PyTorch, which has reserved {reserved}",
			"oom": "This process held {process}, of which PyTorch had reserved only {reserved}, when a request for {tried} failed",
		},
		Advice: append([]Advice{
			{Do: "Find the library: look for what else in the process uses CUDA (JAX, TensorFlow, CuPy, RAPIDS, ONNX Runtime, TensorRT, a renderer, a codec).", Code: "grep -o '[^/]*\\.so[^ ]*' /proc/PID/maps | sort -u"},
		}, librariesAdvice()...),
	}
}

func workspaceEntry() Entry {
	return Entry{
		ID: LibraryWorkspace, Group: groupHolders, Place: 86, Name: "CUDA context and workspaces",
		Meaning: "What CUDA, cuBLAS and cuDNN take for themselves: 0.3 to 1.8 GiB a process. On a small card that is a share worth knowing.",
		Needs:   "the driver's figure of the process and PyTorch's reserved, or a traceback in a convolution",
		Confirm: "A process that only calls torch.zeros(1).cuda() takes nearly as much.",
		Refute:  "It is more than 2 GiB: then another library is in the process.",
		claims: map[string]string{
			"run":   "The CUDA context and its libraries take {held} of this card ({share}), outside PyTorch",
			"giant": "A convolution asked for {tried} of workspace, more than the whole card of {total}",
		},
		Advice: []Advice{
			{Do: "Nothing needs to be done for a context of that size; plan with the rest of the card."},
			{Do: "A convolution with a giant workspace: let cuDNN choose another algorithm, or limit it.", Code: "torch.backends.cudnn.benchmark = True; CUDNN_CONV_WSCAP_DBG=4096", Cost: "another algorithm may be slower."},
			{Do: "Make the context smaller by loading kernels when they are needed (the default since CUDA 12.2).", Code: "CUDA_MODULE_LOADING=LAZY"},
			{Do: "Limit cuBLAS's workspaces.", Code: "CUBLAS_WORKSPACE_CONFIG=:16:8", Cost: "slower products on Hopper."},
		},
	}
}

func ncclEntry() Entry {
	return Entry{
		ID: NCCLOverhead, Group: groupHolders, Place: 26, Name: "NCCL found no room",
		Meaning: "NCCL takes its buffers outside PyTorch, when a communicator is first used. If PyTorch's cache holds the rest of the card, NCCL's small request fails.",
		Needs:   "NCCL's error text",
		Confirm: "Free memory of the card is close to nothing and much of reserved is idle.",
		Refute:  "The card has free memory: then NCCL failed for another reason.",
		claims:  map[string]string{"text": "NCCL could not get a small buffer: the card was full, often of PyTorch's own cache, which NCCL cannot use"},
		Advice: []Advice{
			{Do: "Use each communicator once before the large allocations.", Code: "dist.barrier(); dist.all_reduce(torch.zeros(1, device='cuda'))"},
			{Do: "Empty the cache before the first collective of a phase.", Code: "torch.cuda.empty_cache()"},
			{Do: "Leave 1 to 2 GiB of the card to others.", Code: "torch.cuda.set_per_process_memory_fraction(0.95)"},
			{Do: "Make NCCL's buffers smaller or fewer.", Code: "NCCL_BUFFSIZE=2097152; NCCL_MAX_NCHANNELS=8", Cost: "bandwidth between GPUs."},
		},
	}
}

func ddpEntry() Entry {
	return Entry{
		ID: DDPRankContexts, Group: groupHolders, Place: 18, Name: "Other ranks sit on this GPU too",
		Meaning:  "Ranks whose own GPU is another one hold a context (0.3 to 1.2 GiB each) or tensors on this one: they touched CUDA before choosing their device, or loaded a file that names it.",
		Needs:    "the driver's list of processes on all GPUs, or an error text that lists several processes of one size",
		Confirm:  "nvidia-smi lists the same process on two GPUs.",
		Refute:   "The process is meant to use both GPUs (model parallel).",
		Folklore: "These entries are no zombies, and no communication buffers.",
		claims: map[string]string{
			"one":  "Process {pid} works on GPU {home} and holds {sum} ({share}) on GPU {gpu} as well",
			"many": "{count} whose own GPU is another one hold {sum} ({share}) on GPU {gpu}, up to {each} each",
			"oom":  "{count} processes of one size hold {sum} of this card ({share}), {each} each, besides the one that failed: contexts of the job's other ranks",
		},
		Advice: []Advice{
			{Do: "Choose the device first, before anything touches CUDA.", Code: "torch.cuda.set_device(int(os.environ['LOCAL_RANK'])); dist.init_process_group('nccl', device_id=…)"},
			{Do: "Load files to the host or to the rank's own device.", Code: "torch.load(path, map_location='cpu')   # or f'cuda:{local_rank}'"},
			{Do: "Do not write device='cuda' before set_device; pinned memory and empty_cache() touch the current device as well."},
			{Do: "Let each rank see its own GPU only.", Code: "CUDA_VISIBLE_DEVICES=$LOCAL_RANK", Cost: "peer-to-peer copies between ranks' GPUs need care."},
		},
	}
}

func workersEntry() Entry {
	return Entry{
		ID: DataloaderWorkers, Group: groupHolders, Place: 21, Name: "Loader workers hold CUDA contexts",
		Meaning: "Workers of the data loader have started CUDA: each holds a context of about half a GiB on the GPU.",
		Needs:   "the driver's list of processes and their parents, or an error text with many processes of one size",
		Confirm: "The processes are children of the training process.",
		Refute:  "They are ranks with GPUs of their own.",
		claims: map[string]string{
			"run": "{count} children of this process hold {sum} of the card ({share}), about {each} each: loader workers that have started CUDA",
			"oom": "{count} processes of one size hold {sum} of this card ({share}), {each} each, besides the one that failed: loader workers, most likely",
		},
		Advice: []Advice{
			{Do: "Keep the GPU out of the dataset and the collate function: return host tensors and move them in the training loop.", Code: "x = x.to('cuda', non_blocking=True)"},
			{Do: "Do not ask torch.cuda or torch.distributed anything in a worker; take rank and size from the environment."},
			{Do: "Fewer workers, and not kept between epochs.", Code: "DataLoader(num_workers=4, persistent_workers=False)", Limits: "stop each worker from taking a context."},
		},
	}
}

func imbalanceEntry() Entry {
	return Entry{
		ID: RankImbalance, Group: groupHolders, Place: 84, Name: "Ranks use their GPUs unevenly",
		Meaning: "One rank needs much more memory than another. The fullest decides the batch size of all.",
		Needs:   "the driver's figures for the ranks of one job on several GPUs",
		Confirm: "torch.cuda.max_memory_allocated() printed by each rank.",
		Refute:  "It is a pipeline, where stages differ by design.",
		claims:  map[string]string{"run": "The fullest of {ranks} ranks uses {most} (GPU {gpu}), the emptiest {least} (GPU {other})"},
		Advice: []Advice{
			{Do: "Look for what only rank 0 does: evaluation, logging of tensors, gathering outputs, an EMA copy.", Code: "dist.all_gather → keep on the host; dist.gather_object on CPU tensors"},
			{Do: "DataParallel collects outputs on GPU 0: use DistributedDataParallel.", Code: "DistributedDataParallel(model, gradient_as_bucket_view=True, find_unused_parameters=False)", Cost: "none; gradient_as_bucket_view saves a copy of the gradients."},
			{Do: "In a pipeline give the fullest stage fewer layers."},
		},
	}
}
