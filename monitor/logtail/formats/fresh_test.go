package formats

import "testing"

// fresh are lines of the producers in dress that no other table has: other
// numbers, loggers, launchers, collectors, orders and units. What is to be read
// was written down before they were first tried.
var fresh = []example{
	// PyTorch
	{"summary 1.12, behind a logger", "INFO:trainer:|===========================================================================|\nINFO:trainer:|                  PyTorch CUDA memory summary, device ID 1                 |\nINFO:trainer:| Allocated memory      |    9310 MB |   10021 MB |     512 GB |     503 GB |\nINFO:trainer:|       from large pool |    9001 MB |    9700 MB |     500 GB |     491 GB |\nINFO:trainer:| Active memory         |    9310 MB |   10021 MB |     512 GB |     503 GB |\nINFO:trainer:| GPU reserved memory   |   11400 MB |   12002 MB |   12002 MB |     602 MB |", "gpu=1 A=9310Mi maxA=10021Mi R=11400Mi maxR=12002Mi"},
	{"summary of bytes", "| Allocated memory      |      0 B   |   1024 KiB |  10240 KiB |  10240 KiB |\n| GPU reserved memory   |   2048 KiB |   2048 KiB |   2048 KiB |      0 B   |", "A=0 maxA=1Mi R=2Mi maxR=2Mi"},
	{"stats in JSON", `{"allocated_bytes.all.current": 41943040, "allocated_bytes.all.peak": 83886080, "allocated_bytes.all.freed": 990000000, "reserved_bytes.all.current": 104857600, "reserved_bytes.all.peak": 125829120}`, "A=41943040 maxA=83886080 R=104857600 maxR=125829120"},
	{"stats, one a line, in colour", "\x1b[36mallocated_bytes.all.current\x1b[0m: 41943040\n\x1b[36mreserved_bytes.all.peak\x1b[0m: 125829120", "A=41943040 maxR=125829120"},
	{"CLI behind loguru", "2026-01-12 03:04:05.678 | INFO     | bench.cli:main:88 - Max memory allocated: 913 MiB\n2026-01-12 03:04:05.679 | INFO     | bench.cli:main:89 - Max memory reserved: 1004 MiB", "maxA=913Mi maxR=1004Mi"},

	// trainers of language models
	{"megatron behind srun and a clock", "37: 2026-02-01 08:09:10.123456: [Rank 37] (after 1500 iterations) memory (MB) | allocated: 20411.87 | max allocated: 31902.5 | reserved: 40210.0 | max reserved: 40210.0", "rank=37 step=1500 A=20411.87Mi maxA=31902.5Mi R=40210Mi maxR=40210Mi"},
	{"megatron in kubernetes", "2026-02-01T08:09:10.123456789Z stderr F [Rank 2] (after 10 iterations) memory (MB) | allocated: 812.0 | max allocated: 1203.25 | reserved: 1410.0 | max reserved: 1412.0", "rank=2 step=10 A=812Mi maxA=1203.25Mi R=1410Mi maxR=1412Mi"},
	{"megatron-bridge, fewer fields", "[Rank 12] (after 200 iterations) memory (GB) | mem-allocated-gigabytes: 33.021 | mem-reserved-gigabytes: 71.55 | mem-max-allocated-gigabytes: 60.5 | mem-max-reserved-gigabytes: 71.9 | mem-alloc-retires: 2", "rank=12 step=200 A=33.021G R=71.55G maxA=60.5G maxR=71.9G"},
	{"ms-swift, other order", "{'memory(GiB)': 71.08, 'loss': 0.912, 'token_acc': 0.81, 'learning_rate': 9.1e-06, 'epoch': 1.25, 'elapsed_time': '3m 2s'}", "epoch=1.25 maxR=71.08Gi"},
	{"nemo, rank of a container", " 5: Training epoch 2, iteration 30/40 | lr: 1e-05 | global_batch_size: 64 | global_step: 110 | max_memory_allocated: 30199652352 | max_memory_reserved: 34359738368 | reduced_train_loss: 2.113 | train_step_timing in s: 3.2", "rank=5 epoch=2 step=110 maxA=30199652352 maxR=34359738368"},
	{"deepspeed of 2025, no prefix", "before backward 12\nMA 10.02 GB         Max_MA 11.5 GB         CA 14.75 GB         Max_CA 15 GB \nCPU Virtual Memory:  used = 101.31 GB, percent = 20.1%", "A=10.02Gi maxA=11.5Gi R=14.75Gi maxR=15Gi"},
	{"deepspeed on rank 3 of torchelastic", "[default3]:[2026-02-01 08:09:10,111] [INFO] [utils.py:781:see_memory_usage] MA 0.91 GB         Max_MA 0.97 GB         CA 1.25 GB         Max_CA 1 GB ", "rank=3 A=0.91Gi maxA=0.97Gi R=1.25Gi maxR=1Gi"},
	{"deepspeed throughput, colour", "\x1b[32m[2026-02-01 08:09:10,111] [INFO] [timer.py:264:stop]\x1b[0m epoch=1/micro_step=320/global_step=160, RunningAvgSamplesPerSec=8.1, CurrSamplesPerSec=8.3, MemAllocated=21.75GB, MaxMemAllocated=61.02GB", "epoch=1 step=160 A=21.75Gi maxA=61.02Gi"},
	{"deepspeed status on another device", "RANK=6 MEMSTATS after backward device=cuda:6 current alloc=12.5017GB (delta=1.2511GB max=30.0001GB) current cache=33.25GB (delta=2.5GB max=34.5GB)", "rank=6 gpu=6 A=12.5017Gi maxA=30.0001Gi R=33.25Gi maxR=34.5Gi"},
	{"torchtitan, coloured fields", "[rank7]:[titan] 2026-02-01 08:09:10,111 - root - INFO - \x1b[31mstep:  410  \x1b[32mloss:  3.0117  \x1b[38;2;54;234;195mmemory: 71.32GiB(89.97%)  \x1b[34mtps: 11,402  \x1b[36mtflops: 410.77  \x1b[35mmfu: 41.53%\x1b[39m", "rank=7 step=410 maxR=71.32Gi"},
	{"torchtitan with grad norm", "[rank0]:2026-02-01 08:09:10,111 - root - INFO - step: 2  loss: 11.9019  grad_norm:  4.2011  memory: 12.01GiB(15.15%)  tps: 902  tflops: 5.51  mfu: 1.77%", "rank=0 step=2 maxR=12.01Gi"},
	{"torchtune behind a module's name", "INFO:torchtune.utils._logging:Memory stats after model init:\n\tGPU peak memory allocation: 16.02 GiB\n\tGPU peak memory reserved: 16.11 GiB\n\tGPU peak memory active: 16.02 GiB", "maxA=16.02Gi maxR=16.11Gi"},
	{"torchtune disk, later step", "Step 500 | loss:0.8123 lr:1e-05 tokens_per_second_per_gpu:1201.5 peak_memory_active:40.21 peak_memory_alloc:39.87 peak_memory_reserved:44.02", "step=500 maxA=39.87Gi maxR=44.02Gi"},
	{"verl of a worker", "\x1b[36m(ActorRolloutRefWorker pid=88412, ip=10.1.2.3)\x1b[0m After offload actor model during update_actor, memory allocated (GB): 0.51, memory reserved (GB): 3.02, device memory used/total (GB): 41.77/79.11", "A=0.51Gi R=3.02Gi used=41.77Gi total=79.11Gi"},
	{"verl step, order changed", "step:412 - actor/lr:1e-06 - perf/max_memory_reserved_gb:60.125 - perf/cpu_memory_used_gb:210.5 - perf/max_memory_allocated_gb:48.5 - training/global_step:412", "step=412 maxA=48.5Gi maxR=60.125Gi"},
	{"slime behind ray", "(MegatronTrainRayActor pid=1203, ip=10.0.0.4) [Rank 9] Memory-Usage after wake_up model: {'gpu': '1', 'total_GB': 139.8, 'free_GB': 91.3, 'used_GB': 48.5, 'allocated_GB': 33.75, 'reserved_GB': 40.02}", "rank=9 gpu=1 total=139.8Gi used=48.5Gi A=33.75Gi R=40.02Gi"},
	{"axolotl 2025, other rank", "[2026-02-01 08:09:10,111] [DEBUG] [axolotl.utils.bench.log_gpu_memory_usage:127] [PID:9011] [RANK:2] cuda memory active: 9.125GB (+9.250GB allocated, +10.5GB reserved)", "rank=2 maxA=9.25Gi maxR=10.5Gi"},
	{"axolotl log, figures not quoted", "{'loss': 1.02, 'grad_norm': 0.4, 'learning_rate': 2e-05, 'memory/max_active (GiB)': 31.07, 'memory/max_allocated (GiB)': 30.51, 'memory/device_reserved (GiB)': 35.25, 'epoch': 0.75}", "epoch=0.75 maxA=30.51Gi maxR=35.25Gi"},
	{"hf metrics behind a clock", "02/01/2026 08:09:10 - INFO - __main__ -   before_init_mem_gpu        =      901MB\n02/01/2026 08:09:10 - INFO - __main__ -   init_mem_gpu_alloc_delta   =     2105MB", "A=901Mi"},
	{"llama-factory, other numbers", `{"current_steps": 990, "total_steps": 3000, "loss": 0.71, "lr": 3e-05, "epoch": 0.99, "percentage": 33.0, "elapsed_time": "1:02:03", "remaining_time": "2:04:06", "vram_allocated": 37.02, "vram_reserved": 44.5}`, "step=990 epoch=0.99 maxA=37.02Gi maxR=44.5Gi"},
	{"unsloth on another card", "GPU = NVIDIA A100-SXM4-40GB. Max memory = 39.564 GB.\n12.891 GB of memory reserved.\nPeak reserved memory = 21.504 GB.\nPeak reserved memory for training = 8.613 GB.", "total=39.564Gi maxR=21.504Gi"},
	{"peft of evaluation", "GPU Memory before entering the eval : 3021\nGPU Memory consumed at the end of the eval (end-begin): -12\nGPU Peak Memory consumed during the eval (max-begin): 1187\nGPU Total Peak Memory consumed during the eval (max): 4208", "maxA=4208Mi"},
	{"llama-recipes glued to a bar", "Training Epoch: 2/3, step 41/99 completed (loss: 0.91):  41%|████      | 41/99 [00:30<00:41,  1.4it/s]Max CUDA memory allocated was 61 GB\nMax CUDA memory reserved was 70 GB\nPeak active CUDA memory was 63 GB", "epoch=2 step=41 maxA=61Gi maxR=70Gi"},
	{"composer on a later batch", "[batch=1200/4800]:\n\t Train memory/current_allocated_mem: 11.201\n\t Train memory/current_active_mem: 11.201\n\t Train memory/current_reserved_mem: 38.252\n\t Train memory/peak_allocated_mem: 31.5\n\t Train memory/peak_reserved_mem: 38.252", "step=1200 A=11.201G R=38.252G maxA=31.5G maxR=38.252G"},
	{"fairseq JSON after its banner", "2026-02-01 08:09:10 | INFO | fairseq.utils | rank   1: capabilities =  8.0  ; total memory = 39.500 GB ; name = NVIDIA A100-SXM4-40GB\n2026-02-01 08:09:40 | INFO | train_inner | {\"epoch\": 3, \"update\": 2.1, \"loss\": \"4.1\", \"num_updates\": \"500\", \"gb_free\": \"11.5\", \"wall\": \"105\"}", "rank=1 total=39.5Gi epoch=3 step=500 maxA=28Gi"},
	{"instructlab in a dictionary", "Epoch: 1, Step: 90, Rank: 0, loss: 0.41 cuda_mem_allocated: 30.125 GB cuda_malloc_retries: 1", "epoch=1 step=90 rank=0 A=30.125Gi"},
	{"olmo block", "[step=200/739328]\n    train/CrossEntropyLoss=6.701\n    System/Peak GPU Memory (MB)=61,207", "step=200 maxA=61207M"},
	{"nanotron, other rank", "02/01/2026 08:09:10 [INFO|DP=1|PP=0|TP=3|node7]:  Memory usage: 7012.25MiB. Peak allocated 9120.50MiB. Peak reserved: 9842.00MiB", "A=7012.25Mi maxA=9120.5Mi maxR=9842Mi"},
	{"xtuner with a rank", "[XTuner][RANK 5][2026-02-01 08:09:10][INFO] Epoch 1/3 Step 70/900 lr: 0.00002 loss: 1.31 max_memory: 51.07 GB reserved_memory: 63.5 GB tgs: 1201", "rank=5 epoch=1 step=70 maxA=51.07Gi maxR=63.5Gi"},
	{"colossalai stage", "[02/01/26 08:09:10] INFO     colossalai - colossalai - INFO: after backward: GPU: allocated 2210.5 MB, max allocated 4431.75 MB, cached: 5120.0 MB, max cached: 5120.0 MB, CPU Virtual Memory: used = 88.1 GB, percent = 4.4%", "A=2210.5Mi maxA=4431.75Mi R=5120Mi maxR=5120Mi"},
	{"ORT on another rank", "rank-11 step 301 memory (MiB) | phase: post_step | allocated: 2210 | max allocated: 7750 | cached: 8102 | max cached: 8190 | inactive: 32", "rank=11 step=301 A=2210Mi maxA=7750Mi R=8102Mi maxR=8190Mi"},
	{"fairscale on a later card", "Peak allocated bytes on cuda:3: 11.250977GB", "gpu=3 maxA=11.250977Gi"},
	{"prime-rl behind loguru", "03:04:05 \x1b[32mSUCCESS\x1b[0m Step 310 | Time: 12.01s | Loss: 0.0031 | Entropy: 0.41 | Grad. Norm: 0.11 | LR: 1.00e-06 | Throughput: 9011 tokens/s | MFU: 21.4% | Peak Mem.: 71.9 GiB", "step=310 maxR=71.9Gi"},
	{"litgpt after training", "Training time: 812.31s\nMemory used: 30.87 GB", "maxA=30.87G"},
	{"litgpt after generating", "Time for inference 1: 2.31 sec total, 44.1 tokens/sec\nMemory used: 14.02 GB", "maxR=14.02G"},
	{"from scratch", "Step 000900 (tok/sec: 41021.1, MaxAlloc/step)\nMax memory allocated: 5.92 GB", "step=900 maxA=5.92Gi"},
	{"modded-nanogpt of 2024", "peak memory consumption: 30121 MiB", "maxA=30121Mi"},
	{"nanochat", "Peak memory usage: 61204.50MiB", "maxA=61204.5Mi"},
	{"nanoGPT user", "occupied memory:3.75 GB\nreserved memory:21.5 GB", "A=3.75Gi R=21.5Gi"},

	// vision
	{"mmcv, iterations", "2026-02-01 08:09:10,111 - mmpose - INFO - Epoch [40][50/310]\tlr: 5.000e-04, eta: 2:11:00, time: 0.701, data_time: 0.210, memory: 9120, heatmap_loss: 0.0011, loss: 0.0011", "epoch=40 step=50 maxA=9120Mi"},
	{"mmengine in kubernetes", "2026-02-01T08:09:10.123456789Z stdout F 02/01 08:09:10 - mmengine - INFO - Epoch(train)  [12][ 150/1051]  base_lr: 4.0000e-03 lr: 4.0000e-03  eta: 3:11:00  time: 0.4112  data_time: 0.0121  memory: 10402  loss: 0.81", "epoch=12 step=150 maxA=10402Mi"},
	{"detectron2 in plain", "[02/01 08:09:10] d2.utils.events INFO:  eta: 1:02:03  iter: 1999  total_loss: 0.71  loss_cls: 0.2  time: 0.3512  last_time: 0.3412  data_time: 0.0101  last_data_time: 0.0081   lr: 0.02  max_mem: 10211M", "step=1999 maxA=10211Mi"},
	{"mae", "Epoch: [17]  [ 620/1251]  eta: 0:05:06  lr: 0.000150  loss: 0.4213 (0.4301)  time: 0.4711  data: 0.0003  max mem: 21877", "epoch=17 step=620 maxA=21877Mi"},
	{"swin test", "[2026-02-01 08:09:10 swin_base](main.py 301): INFO Test: [90/98]\tTime 0.211 (0.305)\tLoss 0.81 (0.92)\tAcc@1 80.1 (79.9)\tMem 8120MB", "maxA=8120Mi"},
	{"yolox, later", "2026-02-01 08:09:10.111 | INFO     | yolox.core.trainer:after_iter:270 - epoch: 11/300, iter: 1490/1849, gpu mem: 17211Mb, mem: 88.1Gb, iter_time: 0.511s, data_time: 0.002s, total_loss: 4.1", "epoch=11 step=1490 maxA=17211Mi"},
	{"yolov5 after its banner", "YOLOv5 🚀 v7.0-210-gdd10481 Python-3.10.12 torch-2.0.1+cu118 CUDA:0 (NVIDIA A10G, 22724MiB)\n      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n       3/99      11.2G    0.04102    0.03501    0.01201        112        640:  41%|████▏     | 190/463 [01:10<01:40,  2.71it/s]", "gpu=0 total=22724Mi epoch=3 R=11.2G"},
	{"ultralytics 8.3, whole gigabytes", "Ultralytics 8.3.40 🚀 Python-3.11.9 torch-2.4.1+cu121 CUDA:0 (NVIDIA L4, 22478MiB)\n      1/300        13G      1.511      2.301      1.402        201        640: 100%|██████████| 100/100 [00:31<00:00,  3.2it/s]", "gpu=0 total=22478Mi epoch=1 R=13Gi"},
	{"slowfast epoch", `[02/01 08:09:10][INFO] slowfast.utils.logging: 101: json_stats: {"RAM": "40.11/251.55G", "_type": "train_iter", "epoch": "31/200", "eta": "3:01:02", "gpu_mem": "11.07G", "iter": "120/470", "loss": 2.1}`, "epoch=31 step=120 maxA=11.07Gi"},
	{"recbole bar", "Train    12:  52%|█████▏    | 210/400 [00:01<00:01, 180.01it/s, GPU RAM: 1.21 G/23.69 G]", "maxR=1.21Gi total=23.69Gi"},

	// speech
	{"icefall on rank 3", "2026-02-01 08:09:10,111 INFO [train.py:901] (3/8) Maximum memory allocated so far is 21502MB", "rank=3 maxA=21502M"},
	{"espnet2", "12epoch results: [train] iter_time=0.01, loss_ctc=41.2, loss=33.1, optim_step_time=0.2, total_count=48000, gpu_max_cached_mem_GB=20.511, [valid] loss=30.2", "epoch=12 maxR=20.511Gi"},
	{"returnn", "ep 2 train, step 1201, ctc 1.21, num_seqs 24, max_size:time 812, mem_usage:cuda:2 14.6GB, 0.412 sec/step, elapsed 0:11:00", "epoch=2 step=1201 gpu=2 maxA=14.6Gi"},

	// tools
	{"a1111 with a percentage", "Torch active/reserved: 5120/6310 MiB, Sys VRAM: 9120/12037 MiB (75.77%)", "maxR=6310Mi used=9120Mi total=12037Mi"},
	{"memlab on another card", "Total Tensors: 40213 \tUsed Memory: 1.21M\nThe allocated memory on cuda:2: 1.51M", "gpu=2 A=1.51Mi"},
	{"sglang diffusion", "\"allocated_mb\": 21002.25,\n\"reserved_mb\": 22118.0,\n\"peak_allocated_mb\": 24310.5,\n\"peak_reserved_mb\": 25012.0", "A=21002.25Mi R=22118Mi maxA=24310.5Mi maxR=25012Mi"},
	{"lightning row", "step,epoch,DeviceStatsMonitor.on_train_batch_start/allocated_bytes.all.current,DeviceStatsMonitor.on_train_batch_start/reserved_bytes.all.peak\n40,2,83886080,167772160", "step=40 epoch=2 A=83886080 maxR=167772160"},

	// users
	{"structlog", "2026-02-01 08:09:10 [info     ] memory                         allocated_gib=3.25 reserved_gib=4.5 step=70", "step=70 A=3.25Gi R=4.5Gi"},
	{"structlog in JSON", `{"event": "memory", "level": "info", "logger": "trainer", "allocated_mib": 3210.5, "reserved_mib": 4502.0, "step": 70, "timestamp": "2026-02-01T08:09:10.111213Z"}`, "step=70 A=3210.5Mi R=4502Mi"},
	{"a message in JSON", `{"timestamp": "2026-02-01T08:09:10.111213Z", "level": "INFO", "message": "step 70: allocated 3.25 GiB, reserved 4.50 GiB", "logger": "train"}`, "step=70 A=3.25Gi R=4.5Gi"},
	{"docker's json-file", `{"log":"step 70: allocated 3.25 GiB, reserved 4.50 GiB\n","stream":"stderr","time":"2026-02-01T08:09:10.111213141Z"}`, "step=70 A=3.25Gi R=4.5Gi"},
	{"JSON in docker's json-file", `{"log":"{\"step\": 70, \"allocated_gib\": 3.25, \"reserved_gib\": 4.5}\n","stream":"stdout","time":"2026-02-01T08:09:10.111213141Z"}`, "step=70 A=3.25Gi R=4.5Gi"},
	{"failure in docker's json-file", `{"log":"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.11 GiB of which 512.00 MiB is free. \n","stream":"stderr","time":"2026-02-01T08:09:10.1Z"}` + "\n" + `{"log":"Of the allocated memory 60.25 GiB is allocated by PyTorch, and 5.50 GiB is reserved by PyTorch but unallocated.\n","stream":"stderr","time":"2026-02-01T08:09:10.1Z"}`, "gpu=3 oom"},
	{"colour in docker's json-file", `{"log":"\u001b[32mINFO\u001b[0m step 70 allocated: 3.25 GiB\n","stream":"stdout","time":"2026-02-01T08:09:10.111213141Z"}`, "step=70 A=3.25Gi"},
	{"logfmt", `time=2026-02-01T08:09:10Z level=info msg="memory" rank=3 step=70 allocated=3.25GiB reserved=4.50GiB`, "rank=3 step=70 A=3.25Gi R=4.5Gi"},
	{"journald", "Feb 01 08:09:10 node17 python3[4711]: step 70 allocated: 3.25 GiB reserved: 4.50 GiB", "step=70 A=3.25Gi R=4.5Gi"},
	{"rich", "[08:09:10] INFO     GPU memory allocated: 3.25 GiB, reserved: 4.50 GiB      trainer.py:118", "A=3.25Gi R=4.5Gi"},
	{"glog", "I20260201 08:09:10.123456  4711 train.cc:118] memory allocated: 3,210 MiB; memory reserved: 4,502 MiB", "A=3210Mi R=4502Mi"},
	{"absl", "I0201 08:09:10.123456 140213 train.py:118] [rank 4] peak memory allocated 3210.5 MiB, peak memory reserved 4502.0 MiB", "rank=4 maxA=3210.5Mi maxR=4502Mi"},
	{"torchrun's prefix", "[rank5]:I0201 08:09:10.123000 4711 site-packages/foo/train.py:118] max_memory_allocated: 3.25 GiB", "rank=5 maxA=3.25Gi"},
	{"thousands in MiB", "allocated 12,310.25 MiB / reserved 14,502.00 MiB / peak allocated 13,001.50 MiB", "A=12310.25Mi R=14502Mi maxA=13001.5Mi"},
	{"thousands in bytes", "memory_allocated: 12,884,901,888 bytes, memory_reserved: 15,032,385,536 bytes", "A=12884901888 R=15032385536"},
	{"wrapped at 80 columns", "[rank 0] step 1200 GPU memory allocated: 12.50 GiB, GPU memory reserved: 14.75 Gi\nB, GPU memory peak: 13.25 GiB", "rank=0 step=1200 A=12.5Gi"},
	{"a bar that was overwritten", "\r 10%|█  | 1/10 [00:01<00:09, 1.0it/s, alloc=1.50GiB, resv=2.00GiB]\r 20%|██ | 2/10 [00:02<00:08, 1.0it/s, alloc=1.75GiB, resv=2.25GiB]", "A=1.75Gi R=2.25Gi"},
	{"CSV with quotes", "\"step\",\"loss\",\"gpu_memory_allocated_mib\",\"gpu_memory_reserved_mib\"\n\"70\",\"2.31\",\"3210.5\",\"4502.0\"", "step=70 A=3210.5Mi R=4502Mi"},
	{"semicolon keys", "step=70;alloc=3.25GiB;reserved=4.50GiB;peak_alloc=4.00GiB", "step=70 A=3.25Gi R=4.5Gi maxA=4Gi"},
	{"value in brackets", "[mem] allocated(3.25 GiB) reserved(4.50 GiB)", "A=3.25Gi R=4.5Gi"},
	{"per device", "cuda:0 allocated=3.25GiB reserved=4.50GiB | cuda:1 allocated=1.25GiB reserved=2.50GiB", "gpu=1 A=1.25Gi R=2.5Gi"},
	{"below a line about a saved checkpoint", "Saving checkpoint:\n  Allocated: 3.25 GiB\n  Reserved: 4.50 GiB", "A=3.25Gi R=4.5Gi"},
	{"kilobytes of a GPU", "GPU memory allocated: 3210240 kB", "A=3210240Ki"},
	{"yaml-like", "gpu_memory:\n  allocated: 3.25 GiB\n  reserved: 4.50 GiB\n  max_allocated: 4.00 GiB", "A=3.25Gi R=4.5Gi maxA=4Gi"},
	{"hydra", "[2026-02-01 08:09:10,111][train][INFO] - [GPU 2] alloc: 11.25 GiB | reserved: 13.5 GiB | max_alloc: 12.75 GiB", "gpu=2 A=11.25Gi R=13.5Gi maxA=12.75Gi"},
	{"keys without colons", "epoch 4/10 batch 120/900 loss 0.31 gpu_mem_alloc 11.25GiB gpu_mem_reserved 13.5GiB", "epoch=4 step=120 A=11.25Gi R=13.5Gi"},
	{"thousands in a step", "Step 1,200: GPU memory — allocated 11.25 GiB, reserved 13.50 GiB, peak 12.75 GiB", "step=1200 A=11.25Gi R=13.5Gi maxA=12.75Gi"},
	{"calls", "after forward | torch.cuda.memory_allocated(): 11520.0MiB | torch.cuda.memory_reserved(): 13824.0MiB", "A=11520Mi R=13824Mi"},
	{"raw names with blanks", "max_memory_allocated = 12079595520, max_memory_reserved = 14495514624", "maxA=12079595520 maxR=14495514624"},
	{"cached of a device", "cuda:3 | allocated: 11.25GiB | cached: 13.5GiB", "gpu=3 A=11.25Gi R=13.5Gi"},
	{"rank with a colon", "Rank: 3 | GPU mem allocated: 11.25 GiB | GPU mem cached: 13.50 GiB", "rank=3 A=11.25Gi R=13.5Gi"},
	{"nested JSON", "{\"rank\": 3, \"step\": 120, \"gpu_memory\": {\"allocated_gib\": 11.25, \"reserved_gib\": 13.5, \"max_allocated_gib\": 12.75}}", "rank=3 step=120 A=11.25Gi R=13.5Gi maxA=12.75Gi"},
	{"W&B paths of a logger", "train/step=120 mem/allocated_mib=11520 mem/reserved_mib=13824 mem/max_allocated_mib=13056", "step=120 A=11520Mi R=13824Mi maxA=13056Mi"},
	{"a table without a frame", "| GPU | Allocated | Reserved |\n|  0  | 11.25 GiB | 13.5 GiB |", ""},
	{"peaks of a head", "GPU peak memory usage: allocated 12.75 GiB, reserved 14.00 GiB", "maxA=12.75Gi maxR=14Gi"},
	{"rank of brackets is not sure", "[3/8] Allocated memory: 11520 MiB; reserved memory: 13824 MiB", "A=11520Mi R=13824Mi"},
	{"peaks in brackets with colons", "Memory allocated: 11.25GiB (peak: 12.75GiB), reserved: 13.5GiB (peak: 14GiB)", "A=11.25Gi maxA=12.75Gi R=13.5Gi maxR=14Gi"},
	{"slash in a label", "VRAM allocated/reserved: 11.25/13.5 GiB", "A=11.25Gi R=13.5Gi"},
	{"device in a word", "gpu0 allocated: 11.25 GiB reserved: 13.5 GiB", "gpu=0 A=11.25Gi R=13.5Gi"},
	{"raw with a device", "device=cuda:1 step=120 memory.allocated=12079595520 memory.reserved=14495514624", "gpu=1 step=120 A=12079595520 R=14495514624"},
	{"rank of a world", "[rank 1/8] mem: alloc=11.25GiB, resv=13.5GiB", "rank=1 A=11.25Gi R=13.5Gi"},
	{"suffix and bar", "peak_mem_allocated_gb: 12.75 | peak_mem_reserved_gb: 14.0", "maxA=12.75Gi maxR=14Gi"},
	{"three parts and a slash", "CUDA mem: 11.25 GiB alloc / 13.50 GiB reserved / 79.11 GiB total", "A=11.25Gi R=13.5Gi total=79.11Gi"},
	{"currently", "Currently allocated: 11.25 GiB; currently reserved: 13.50 GiB; max allocated so far: 12.75 GiB", "A=11.25Gi R=13.5Gi maxA=12.75Gi"},
	{"tensors are not typed", "GPU memory used by tensors: 11.25 GiB (reserved by PyTorch: 13.5 GiB)", "R=13.5Gi"},
	{"paths of a device", "memory_reserved/cuda:0 = 13.5 GiB, memory_allocated/cuda:0 = 11.25 GiB", "gpu=0 A=11.25Gi R=13.5Gi"},
	{"unit in square brackets of a key", "Mem allocated [MiB]: 11520.0, Mem reserved [MiB]: 13824.0", "A=11520Mi R=13824Mi"},
	{"a table of tabs", "step\tallocated_mib\treserved_mib\n120\t11520\t13824", ""},
	{"step of W&B", "{\"_step\": 120, \"gpu/allocated_bytes\": 12079595520, \"gpu/reserved_bytes\": 14495514624, \"_timestamp\": 1769933350.11}", "step=120 A=12079595520 R=14495514624"},
	{"absl with four", "I0201 08:09:10.123456 139812345678912 memory.py:41] CUDA memory allocated=11.25GiB reserved=13.50GiB max_allocated=12.75GiB max_reserved=14.00GiB", "A=11.25Gi R=13.5Gi maxA=12.75Gi maxR=14Gi"},
	{"zap", "2026-02-01T08:09:10.111Z\tINFO\ttrain/loop.py:41\tmemory\t{\"allocated_gib\": 11.25, \"reserved_gib\": 13.5}", "A=11.25Gi R=13.5Gi"},
	{"syslog", "<14>1 2026-02-01T08:09:10.111Z node7 trainer 4711 - - allocated: 11.25 GiB reserved: 13.5 GiB", "A=11.25Gi R=13.5Gi"},
	{"failure on a large card", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.50 GiB. GPU 5 has a total capacity of 139.80 GiB of which 4.25 GiB is free. Including non-PyTorch memory, this process has 135.50 GiB memory in use. Of the allocated memory 120.25 GiB is allocated by PyTorch, and 12.50 GiB is reserved by PyTorch but unallocated.", "gpu=5 oom"},
	{"aligned", "   allocated     11.25 GiB\n   reserved      13.50 GiB\n   max allocated 12.75 GiB", "A=11.25Gi R=13.5Gi maxA=12.75Gi"},
	{"device in square brackets", "GPU[0] allocated 11.25 GiB reserved 13.5 GiB", "gpu=0 A=11.25Gi R=13.5Gi"},
	{"device behind a number sign", "GPU#1: allocated=11.25 GiB reserved=13.5 GiB", "gpu=1 A=11.25Gi R=13.5Gi"},
	{"a moment in the label", "Peak GPU memory allocated during epoch 3: 12.75 GiB", "epoch=3 maxA=12.75Gi"},
	{"a sentence", "The peak memory allocated was 12.75 GiB and the peak memory reserved was 14.00 GiB.", "maxA=12.75Gi maxR=14Gi"},
	{"nearly equal", "memory footprint: allocated ≈ 11.25 GiB, reserved ≈ 13.5 GiB", "A=11.25Gi R=13.5Gi"},
	{"steps in brackets are not sure", "[1200/5000] alloc=11,520MiB resv=13,824MiB", "A=11520Mi R=13824Mi"},
	{"semicolons without blanks", "allocated_gb=11.25;reserved_gb=13.5;free_gb=60.1", "A=11.25Gi R=13.5Gi"},
	{"nanoGPT's own line", "iter 120: loss 2.3456, time 112.34ms, mfu 41.20%, allocated 11.25GiB, reserved 13.50GiB", "step=120 A=11.25Gi R=13.5Gi"},
	{"one word, three keys", "mem_alloc 11520MB mem_resv 13824MB mem_max 13056MB", "A=11520Mi R=13824Mi"},
	{"before and after", "Before: allocated=11.25 GiB, reserved=13.50 GiB -> After: allocated=3.25 GiB, reserved=4.50 GiB", "A=11.25Gi R=13.5Gi"},

	// producers that are left
	{"verl utils behind a logger", "(WorkerDict pid=1203) INFO:2026-02-01 08:09:10,111:Memory usage [before_update]: Total: 139.80 GB, Allocated: 30.25 GB, Reserved: 41.50 GB, Cached: 11.25 GB", "total=139.8Gi A=30.25Gi R=41.5Gi"},
	{"axolotl of 2023", "[2026-02-01 08:09:10,111] [INFO] [axolotl.train.train:54] [PID:9011] GPU memory after trainer build: 7021 MB.", "used=7021Mi"},
	{"axolotl of 2025, sums", "[2025-02-01 08:09:10,111] [INFO] [axolotl.load_model:812] [PID:9011] [RANK:1] GPU memory usage after adapters: 7.250GB (+0.500GB cache, +1.125GB misc)", "rank=1 A=7.25Gi R=7.75Gi used=8.875Gi"},
	{"deepspeed timers", "[2026-02-01 08:09:10,111] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd_microstep: 101.2 | bwd_microstep: 203.1 | mem_allocated: 3.0127 GB | max_mem_allocated: 9.5012 GB | cache_allocated: 11.0234 GB | max_cache_allocated: 11.0234 GB", "rank=0 A=3.0127Gi maxA=9.5012Gi R=11.0234Gi maxR=11.0234Gi"},
	{"torchtitan's card", "[rank0]:[titan] 2026-02-01 08:09:10,111 - root - INFO - CUDA capacity: NVIDIA A100-SXM4-80GB with 79.15GiB memory", "rank=0 total=79.15Gi"},
	{"torchtitan's model", "[rank1]:[titan] 2026-02-01 08:09:10,111 - root - INFO - CUDA memory usage for model: 3.77GiB(4.76%)", "rank=1 maxR=3.77Gi"},
	{"hf dictionary", "{'init_mem_gpu_alloc_delta': 0, 'before_init_mem_gpu': 1073741824, 'train_mem_gpu_alloc_delta': 512000, 'epoch': 2.0}", "epoch=2 A=1073741824"},
	{"lightning's GPU statistics", "gpu_id: 1/memory.used (MB): 10211.0", "gpu=1 used=10211Mi"},
	{"W&B system metrics", "system.gpu.2.memoryAllocatedBytes: 42949672960", "gpu=2 used=42949672960"},
	{"vLLM's card", "INFO 02-01 08:09:10 [worker.py:287] the current vLLM instance can use total_gpu_memory (79.10GiB) x gpu_memory_utilization (0.90) = 71.19GiB", "total=79.1Gi"}, //nolint:misspell // as printed
	{"unformatted", "memory_allocated 11.2501248 memory_cached 24.117248", "A=11.2501248G R=24.117248G"},
	{"pytorch in back-ticks of a chat", "`torch.cuda.max_memory_allocated()` -> 3446472704", ""},
	{"megatron of 2020", "after 300 iterations memory (MB) | allocated: 1801.3251953125 | max allocated: 3012.50390625 | reserved: 3418.0 | max reserved: 3418.0", "step=300 A=1801.3251953125Mi maxA=3012.50390625Mi R=3418Mi maxR=3418Mi"},
	{"asynchronous allocator behind a rank", "[rank2]: torch.OutOfMemoryError: Allocation on device 2 would exceed allowed memory. (out of memory)\n[rank2]: Currently allocated     : 6.89 GiB\n[rank2]: Requested               : 320.00 MiB\n[rank2]: Device limit            : 23.69 GiB\n[rank2]: Free (according to CUDA): 2.94 MiB\n[rank2]: PyTorch limit (set by user-supplied memory fraction)\n[rank2]:                         : 17179869184.00 GiB", "rank=2 gpu=2 oom"},
}

func TestFreshLinesAreRead(t *testing.T) {
	for _, e := range fresh {
		if got, want := digest(parseAll(e.text)), claim(t, e.want); got != want {
			t.Errorf("%s\n  %q\n  got  %s\n  want %s", e.producer, e.text, got, want)
		}
	}
}

// freshNegatives look like figures of PyTorch's allocator and are none: nothing
// may be read. They were written down like fresh.
var freshNegatives = []string{
	// the host
	"[2026-02-01 08:09:10,111] [INFO] [utils.py:788:see_memory_usage] CPU Virtual Memory:  used = 322.57 GB, percent = 32.0%",
	"Feb 01 08:09:10 node17 systemd[1]: user.slice: Consumed 2h 3min CPU time, 41.2G memory peak, 0B memory swap peak.",
	"MemTotal:       527943280 kB",
	"Cached:         120398712 kB",
	"psutil: rss=12884901888 vms=88987654321 shared=123456789",
	"worker 3: RSS 21.3 GiB, peak RSS 25.0 GiB",
	"host memory: allocated 61.2 GiB of 128 GiB (cgroup)",
	"main process memory usage: 3.21 GB (RAM), 12.2 GB virtual",
	"pinned host buffers allocated: 2.00 GiB",
	"Maximum resident set size (kbytes): 21300112",
	"shm: reserved 16 GiB at /dev/shm",
	"cpu1: allocated 4.0 GiB",
	"zram0: allocated 4.0 GiB, compressed 1.2 GiB",
	"JVM heap: max 8 GB, allocated 2.1 GB",
	"slurmstepd: error: StepId=991.0 exceeded memory limit (67108864 > 65011712), being killed",
	// differences
	"memory allocated changed by +1.25 GiB since the last step",
	"GPU memory delta after forward: 3.25 GiB allocated, 4.50 GiB reserved",
	"GPU memory delta: allocated 3.25 GiB, reserved 4.50 GiB",
	"Change of GPU memory in this step:\n  Allocated: 0.25 GiB\n  Reserved: 0.50 GiB",
	"freed 12.5 GiB of reserved memory",
	"  init_mem_gpu_alloc_delta   =     2105MB",
	"empty_cache released 3.25 GiB of cached memory",
	"GPU Memory consumed at the end of the train (end-begin): 1210",
	"saved 12.25 GiB of allocated memory by activation checkpointing",
	// plans
	"INFO 02-01 08:09:10 [kv_cache_utils.py:720] GPU KV cache size: 412,336 tokens",
	"INFO 02-01 08:09:10 [gpu_worker.py:276] Available KV cache memory: 51.33 GiB",
	"KV cache: 1024 blocks, 16.5 GiB reserved per GPU",
	"Estimated GPU memory: 41.2 GiB allocated at batch size 8",
	"required GPU memory: 24 GB",
	"memory limit: 40 GiB allocated per worker",
	"planning to reserve 12 GiB of GPU memory for activations",
	"Theoretical memory footprints: weight and optimizer=20412.51 MB, activation=3021.00 MB, total=23433.51 MB",
	// shares, rates, counts
	"gpu memory allocated: 71.25%",
	"allocated fraction 0.83, reserved fraction 0.91",
	"tokens/s: 48211, peak: 51002",
	"peak memory bandwidth reached: 2.95 TB/s",
	"num_alloc_retries=3 num_ooms=0 segments reserved: 412",
	"allocated 64 workers on 8 nodes, reserved 2 spares",
	"tflops: 412.5, peak tflops: 989.4, allocated nodes: 4",
	// other runtimes
	"2026-02-01 08:09:10.111213: I tensorflow/core/common_runtime/gpu/gpu_device.cc:2021] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 38366 MB memory:  -> device: 0, name: NVIDIA A100-SXM4-40GB",
	"2026-02-01 08:09:10.111213: W external/local_tsl/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB (rounded to 2147483648) requested by op MatMul",
	"jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.",
	"XLA: allocated 12.5 GiB of HBM on TPU core 0",
	"MLX: active 3.2 GB, cache 1.1 GB, mps allocated 4.3 GB",
	"torch.xpu.memory_allocated: 3.25 GiB",
	"RuntimeError: MPS backend out of memory (MPS allocated: 12.02 GiB, other allocations: 5.11 GiB, max allowed: 18.13 GiB). Tried to allocate 1.00 GiB on private pool.",
	// discs, data, models
	"Downloading shards:  50%|█████     | 2/4 [00:41<00:41, 20.7s/it, 9.98GB]",
	"dataset cached at /data/c4 (812.3 GB on disk, 1024 files)",
	"wrote 26.1 GB checkpoint to /ckpt/step_500 in 31.2 s",
	"disk quota: allocated 2 TB, used 1.1 TB",
	"model size: 13.48 GB, 6.74 B parameters",
	"loaded 8030261248 parameters (16.06 GB in bf16)",
	"Total params: 124,439,808; size of weights 474.7 MB",
	"bundle model-best:v3 (412.5MB) uploaded",
	"/dev/nvme0n1p2  1.8T  1.1T  612G  65% /scratch",
	"reading memory-mapped file tokens.bin (19.07 GiB)",
	// text about failures, of the host and of the past
	"retrying, as CUDA out of memory may happen in the first step",
	"  File \"/opt/train.py\", line 41, in <module>  # raises torch.OutOfMemoryError",
	"WARNING: set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid CUDA out of memory errors",
	"python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
	"ooms: 0, alloc_retries: 0",
	// round two
	"top - 08:09:10 up 12 days, MiB Mem : 515569.1 total, 120310.2 free, 41020.4 used, 354238.5 buff/cache",
	"docker stats: trainer-1  41.2GiB / 125.8GiB  32.75%",
	"memory.current=12884901888 memory.max=68719476736 memory.peak=15032385536",
	"ulimit -v: 67108864 kB reserved",
	"object store memory: 41.2 GB allocated by ray",
	"(raylet) node_ip: 10.0.0.7, object_store_memory: 30.1 GB, memory: 70.2 GB",
	"arrow: memory pool allocated 3.2 GB",
	"dataloader prefetch buffer: 2.0 GB reserved in pinned memory",
	"KV cache reserved: 12.5 GiB, max concurrency 41.2x",
	"GPU memory allocated per sample: 0.25 GiB",
	"average memory allocated: 11.25 GiB",
	"minimum memory reserved: 4.5 GiB",
	"growth of allocated memory: 0.5 GiB per hour",
	"reserved instances: 4, allocated GPUs: 32",
	"GPU memory required to be reserved: 24 GiB",
	"max tokens 4096, peak learning rate 3e-4, cached prompts 812",
	"HBM peak: 31.2 GiB on TPU v4",
	"gpu_memory_utilization=0.92, swap_space=4 GiB", //nolint:misspell // as printed
	"torch.npu.max_memory_allocated: 21.5 GiB",
	"layer 12: allocated expert 3 to rank 7 (412 MB of weights)",
	"FLOPs per step: 3.21e15, memory traffic 1.2 TB",
	"optimizer state: 24.9 GB, gradients: 6.2 GB, parameters: 6.2 GB (estimated)",
	"GPU [12/40] utilization 98 %, power 412 W", //nolint:misspell // as printed
}

func TestFreshNegativesAreSilent(t *testing.T) {
	for _, l := range freshNegatives {
		if got := digest(parseAll(l)); got != "" && got != "step=3" {
			t.Errorf("%q\n  gives %s", l, got)
		}
	}
}
