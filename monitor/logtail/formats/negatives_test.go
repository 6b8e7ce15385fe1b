package formats

import (
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// negatives look like GPU memory, or like a failure, and are neither.
var negatives = []string{
	// the host
	"[2024-02-02 10:00:00,102] [INFO] [utils.py:810:see_memory_usage] CPU Virtual Memory:  used = 122.57 GB, percent = 7.1%",
	"CPU Total Peak Memory consumed during the train (max): 21411",
	"CPU memory allocated: 12.5 GB",
	"host memory reserved: 64 GB",
	"Peak CPU memory usage MB: 857.584",
	"RAM used: 12.31 GB / 125.77 GB",
	"               total        used        free      shared  buff/cache   available",
	"Mem:           503Gi        41Gi       120Gi       2.1Gi       341Gi       457Gi",
	"Process RSS: 76377.68 MB",
	"Swap: allocated 8 GB",
	"pinned memory allocated: 2.5 GB",
	"shared memory allocated: 64.0 GB at /dev/shm/data",
	"CPU memory:\n  Allocated: 12.5 GB",
	"host: allocated 3.5 GB, reserved 4 GB",
	"Total memory reserved: 16 GB",
	" Metaspace       used 34567K, capacity 36000K, committed 36352K, reserved 1081344K",
	"NCCL INFO Allocated 5767524 bytes of shared memory in /dev/shm/nccl-abc",
	"worker: allocated 1048576 bytes at 0x7f001000",
	"go_memstats_alloc_bytes 2.5e+06",
	"node_memory_Cached_bytes 1.2e+10",
	"container_memory_cache 123456789",
	"Allocated: 24.5 TB, quota 30 TB",
	"AllocTRES=cpu=8,mem=64G,node=1,gres/gpu=1",
	"Server: 2GB limit, 1GB reserved",
	"Ghost (400MB) + OS (1.5GB) = 2.4GB reserved. That leaves 5.6GB",
	"Heap after the first publish 1.03 GB (1.39 GB reserved from the OS)",
	"Heap memory allocated: 512 MB",
	"JVM max memory reserved: 4 GB",
	"tmpfs                 64G  2.9G   62G   5% /dev/shm",
	"Memory cgroup limit: 64 GiB, memory usage: 61.2 GiB",
	"Maximum resident set size (kbytes): 4097152",
	// failures of the host and of other backends
	"Out of memory: Killed process 25416 (python3) total-vm:125690732kB, anon-rss:65105968kB, file-rss:0kB",
	"slurmstepd: error: Detected 1 oom_kill event in StepId=4711.batch. Some of the step tasks have been OOM Killed.",
	"srun: error: node17: task 3: Out Of Memory",
	"Killed",
	"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,task=python,pid=4711,uid=1000",
	"DataLoader worker (pid 51794) is killed by signal: Killed.",
	"RuntimeError: DataLoader worker (pid(s) 4711) exited unexpectedly: out of shared memory",
	"RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: you tried to allocate 32426121216 bytes. Error code 12",
	"numpy.core._exceptions._ArrayMemoryError: Unable to allocate 14.9 GiB for an array with shape (2000000000,) and data type float64",
	"MemoryError: Unable to allocate 3.50 GiB",
	"RuntimeError: MPS backend out of memory (MPS allocated: 8.57 GB, other allocations: 7.35 GB, max allowed: 18.20 GB). Tried to allocate 192.50 MB on private pool.",
	"torch.OutOfMemoryError: XPU out of memory. Tried to allocate 2.66 GiB. GPU 0 has a total capacity of 15.65 GiB of which 5.65 GiB is free.",
	"OSError: [Errno 12] Cannot allocate memory",
	// text about failures
	"If you run into CUDA out of memory, lower --batch-size.",
	"To avoid CUDA out of memory errors, use gradient checkpointing",
	"Note: CUDA out of memory can happen with long sequences",
	"# catches CUDA out of memory",
	"    except torch.cuda.OutOfMemoryError as e:",
	"    raise RuntimeError('CUDA out of memory handler is missing')",
	"    if 'out of memory' in str(e):",
	"    if \"CUDA out of memory\" in str(e) or \"CUBLAS_STATUS_ALLOC_FAILED\" in str(e):",
	"oom=0, retries=0",
	"| epoch 002 | loss 3.1 | oom 0 | wps 1200",
	"|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |",
	"0 CUDA OOM errors thrown.",
	"2 CUDA memory allocation retries.",
	"[rank5]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:275, unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
	"RuntimeError: CUDA error: an illegal memory access was encountered",
	"RuntimeError: CUDA error: device-side assert triggered",
	// rates, sizes, downloads, counts
	"Downloading model-00001-of-00004.safetensors: 100%|██████████| 4.97G/4.97G [01:42<00:00, 48.4MB/s]",
	"Saved checkpoint to /ckpt/step_100 (26.1 GB) in 31.2 s",
	"Loading cached dataset: 12.5 GB",
	"cached 14.2 GB of tokenized data",
	"cache size: 12 GB",
	"model has 7.24 B parameters, 13.5 GB in bf16",
	"memory bandwidth: 1.92 TB/s",
	"throughput: 8.2 GB/s allocated",
	"GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-555555555555)",
	"| N/A   41C    P0             112W /  700W |  45201MiB /  81559MiB |     97%      Default |",
	"|    0   N/A  N/A   2311      C   python                                    45190MiB |",
	"PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True",
	"max_memory_per_gpu=40GiB, gpu_memory_utilization=0.9", //nolint:misspell // as printed
	"Setting max memory to {0: '20GB', 'cpu': '60GB'}",
	"GPU reserved segments: 412",
	"| GPU reserved segments |     412    |     507    |     508    |      96    |",
	"num_alloc_retries: 3, num_ooms: 0",
	"memory utilization: 87.5 %", //nolint:misspell // as printed
	"Allocated 88 % of the budget",
	"GPU memory allocated: 83.2%",
	`"system.gpu.0.memoryAllocated": 71.4`,
	"allocated 16 workers, reserved 4 of them",
	"reserved port 29512",
	"SLURM: Reserved 4 nodes, 64 GB memory per node",
	"#SBATCH --mem=64GB",
	// plans, differences, other counters
	"INFO 05-01 10:09:39 [gpu_worker.py:298] Available KV cache memory: 28.69 GiB",
	"KV cache memory allocated: 12.5 GiB",
	"# GPU blocks: 3421, # CPU blocks: 512; KV cache reserved 20.5 GiB",
	"Model loading took 13.25 GiB memory and 41.28 seconds",
	"Theoretical memory footprints: weight and optimizer=10412.5 MB",
	"Estimated memory needed: 42.1 GB",
	"activation memory required: 12.4 GiB",
	"memory saved by checkpointing: 8.2 GB allocated",
	"  train_mem_gpu_alloc_delta  =      253MB",
	"allocated memory increased by 120.5 MiB",
	"GPU memory freed: 3.5 GB",
	"Net GPU delta: +1487.0 MiB",
	"Memory delta: +0.35 GB allocated",
	"Inactive split memory: 612.5 MiB",
	"active memory: 11.5 GiB",
	"requested memory: 11.5 GiB",
	"Current Free GPU Memory: 11214.5 MB",
	"[2025-08-13 14:34:24 TP0] Memory pool end. avail mem=12.44 GB",
	"Peak reserved memory for training = 1.621 GB.",
	"Peak reserved memory % of max memory = 91.225 %.",
	"size of all allocated slabs: 96352 KB",
	"Max Memory Used: 91 MB",
	"Peak memory usage: 82004 kB",
	"// Runtime 12 ms, faster than 25.99% || Memory Usage: 10.1 MB, less than 9.68%",
	"[+] Memory used: 114.516 MB",
	"   MAX MEM: 44 Mbytes;  AVG MEM: 19 Mbytes",
	"step 100 loss 2.31 lr 1e-4 tokens/s 48211",
	// "res" without allocated, one unit for things that are no memory of a GPU
	"VIRT 48.2 GiB RES 15.2 GiB SHR 0.3 GiB",
	"memory: res 15.2 GiB",
	"reading images, res 640 MB, cache hit 3",
	"GPU mem res=15.2GB",
	"CPU memory (GB): allocated 12.30, reserved 14.00",
	"Disk usage (GB): allocated 12.30, reserved 14.00",
	"Host: (GB) Allocated: 12.30 Reserved: 14.00",
	"(GB) Disk allocated: 12.30 swap reserved: 14.00",
	"workers allocated: 16 seats open: 14.00 (GB)",
	"   MAX MEM: 8123",
	"Epoch: [3] done, mem: 8123",
	"gpu_mem_gb=12.3",
	"{\"step\": 10, \"gpu_mem_gb\": 12.3}",
	"mem 12.3GB",
	"GPU mem: 12.4G/24G",
	"step 4 gpu_mem=12.3GB",
}

func TestWhatOnlyLooksLikeMemoryIsNotRead(t *testing.T) {
	for _, l := range negatives {
		for _, r := range parseAll(l) {
			if r.Kind != monitor.LogProgress {
				t.Errorf("%q\n  gives %s", l, digest([]monitor.LogReading{r}))
			}
		}
	}
}

func TestAFewWordsTellWhatLooksLikeMemory(t *testing.T) {
	for line, want := range map[string]bool{
		"GPU memory: 11.5 GB":             true,
		"mem 11.5GB":                      true,
		"step 3 mem 11.5GB":               true,
		"GPU mem: 11.5G/24G":              true,
		"GPU mem: 11.5/24 GB":             true,
		"gpu_mem=11.5GB":                  true,
		"gpu_mem_gb=11.5":                 true,
		`{"step": 3, "gpu_mem_gb": 11.5}`: true,
		"Memory (GB): in use 11.5":        true,
		"VRAM 7.2GiB in use":              true,
		"CPU memory used: 11.5 GB":        false,
		"loss 2.3 at 1200 tokens/s":       false,
		"memory bandwidth: 1.92 TB/s":     false,
		"KV cache memory: 18.69 GiB":      false,
		"nothing here":                    false,
		"\u212a\u212a\u212a\u212a mem_gb": false,
		"\xff\xff memory: 3 GB":           true,
		"allocated 16 workers":            false,
		"\x1b[32mPeak memory: 3 GB\x1b":   true,
	} {
		if Looks(line) != want {
			t.Errorf("Looks(%q) is %v", line, !want)
		}
	}
}

func TestFiguresOfOneUnitAreReadAsTheyAreWrittenOnly(t *testing.T) {
	for text, want := range map[string]string{
		"alloc 15.5 GiB | res 12.25 GiB":                 "A=15.5Gi",       // reserved is never less
		"allocated: 16 Reserved: 14.00 (GiB)":            "R=14Gi",         // counts of something else
		"Allocated: 1.50 GiB Reserved: 14.00 (GiB)":      "A=1.5Gi R=14Gi", // its own unit
		"Allocated: 1.50 Reserved: 14.00 (GiB) of 80 GB": "R=14Gi",         // not the end
		"alloc 1.5 GiB, max alloc 9 GiB, res 12.25 GiB":  "A=1.5Gi maxA=9Gi R=12.25Gi",
	} {
		if got := digest(parseAll(text)); got != claim(t, want) {
			t.Errorf("%q gives %s, want %s", text, got, want)
		}
	}
}

func TestALineWhoseStepAloneIsReadIsUnread(t *testing.T) {
	for text, want := range map[string]bool{
		"step 10 loss 2.1 mem 12.3GB":      true,
		`{"step": 10, "gpu_mem_gb": 12.3}`: true,
		"epoch 2: GPU mem: 12.4G/24G":      true,
		"mem 12.3GB":                       true,
		"step 1e309 mem 12.3GB":            true,
		" 40%|████      | 4/10 [00:01<00:02, step=4, mem=12.3GB]": true,
		"Validation finished, GPU mem 12.3GB":                     true,
		"validation":                                              false,
		"step 10 allocated: 12.3 GiB":                             false,
		"step 10 mem: none":                                       false,
		"CUDA out of memory. Tried to allocate 2.00 GiB":          false,
	} {
		p := NewParser(Config{})
		p.Line(monitor.LogLine{Text: text})
		if p.Unread(text) != want {
			t.Errorf("Unread(%q) is %v", text, !want)
		}
	}
}
