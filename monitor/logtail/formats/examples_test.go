package formats

var pytorchExamples = []example{
	{"classic", "Allocated: 7.41 GB\nReserved: 8.19 GB\nPeak Reserved: 9.02 GB", "A=7.41Gi R=8.19Gi maxR=9.02Gi"},
	{"summary", summaryText, "gpu=2 A=11021Mi maxA=12003Mi R=12280Mi maxR=12410Mi"},
	{"summary row", "| Allocated memory      |   3021 MiB |   4100 MiB |     31 GiB |     28 GiB |", "A=3021Mi maxA=4100Mi"},
	{"stats", "OrderedDict([('active.all.allocated', 91), ('active_bytes.all.current', 7340032), ('allocated_bytes.all.allocated', 99614720), ('allocated_bytes.all.current', 6291456), ('allocated_bytes.all.freed', 93323264), ('allocated_bytes.all.peak', 8388608), ('allocated_bytes.large_pool.current', 4194304), ('reserved_bytes.all.current', 23068672), ('reserved_bytes.all.peak', 25165824), ('num_ooms', 0)])", "A=6291456 maxA=8388608 R=23068672 maxR=25165824"},
	{"CLI", "Max memory allocated: 341 MiB\nMax memory reserved: 372 MiB", "maxA=341Mi maxR=372Mi"},
	{"pretty stats", " 'allocated_bytes.all.current': 6291456,\n 'allocated_bytes.all.peak': 8388608,", "A=6291456 maxA=8388608"},
	{"unformatted", "memory_allocated 3.1457792 memory_cached 15.378415616", "A=3.1457792G R=15378415616"},
	{"banner", "Using CUDA device0 _CudaDeviceProperties(name='Tesla P4', total_memory=7611MB)", "gpu=0 total=7611Mi"},
}

const summaryText = `|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 2                 |
|---------------------------------------------------------------------------|
|            CUDA OOMs: 3            |        cudaMalloc retries: 5         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |  11021 MiB |  12003 MiB |     77 TiB |     77 TiB |
|       from large pool |  11000 MiB |  11980 MiB |     70 TiB |     70 TiB |
|       from small pool |     21 MiB |     23 MiB |      7 TiB |      7 TiB |
|---------------------------------------------------------------------------|
| Active memory         |  11021 MiB |  12003 MiB |     77 TiB |     77 TiB |
|---------------------------------------------------------------------------|
| GPU reserved memory   |  12280 MiB |  12410 MiB |  14002 MiB |   1722 MiB |
|       from large pool |  12250 MiB |  12380 MiB |  13970 MiB |   1720 MiB |
|---------------------------------------------------------------------------|
| Non-releasable memory |    813 MiB |    990 MiB |     60 TiB |     60 TiB |
|---------------------------------------------------------------------------|
| Allocations           |    2031    |    2207    |   91234 K  |   91232 K  |
|===========================================================================|`

var trainerExamples = []example{
	{"megatron", "[Rank 8] (after 40 iterations) memory (MB) | allocated: 1811.25 | max allocated: 2944.5 | reserved: 3122.0 | max reserved: 3122.0", "rank=8 step=40 A=1811.25Mi maxA=2944.5Mi R=3122Mi maxR=3122Mi"},
	{"megatron device", "[Rank 1] (before save_checkpoint for iteration 600) memory (MB) | allocated: 1811.25 | max allocated: 2944.5 | reserved: 3122.0 | max reserved: 3122.0 | total device memory used: 4012.50", "rank=1 step=600 A=1811.25Mi maxA=2944.5Mi R=3122Mi maxR=3122Mi used=4012.5Mi"},
	{"megatron 2019", "after 100 iterations memory (MB) | allocated: 901.33154296875 | max allocated: 1333.01416015625 | cached: 1480.0 | max cached: 1480.0", "step=100 A=901.33154296875Mi maxA=1333.01416015625Mi R=1480Mi maxR=1480Mi"},
	{"megatron-bridge", "[Rank 5] (after 3 iterations) memory (GB) | mem-allocated-gigabytes: 41.5 | mem-active-gigabytes: 41.6 | mem-inactive-gigabytes: 9.1 | mem-reserved-gigabytes: 120.25 | mem-max-allocated-gigabytes: 99.012 | mem-max-active-gigabytes: 99.5 | mem-max-reserved-gigabytes: 121.5 | mem-alloc-retires: 0 | mem-allocated-count: 812", "rank=5 step=3 A=41.5G R=120.25G maxA=99.012G maxR=121.5G"},
	{"ORT", "2024-05-01 08:00:01,123 orttraining.rank-2 [INFO] - rank-2 step 7 memory (MiB) | phase: pre_forward | allocated: 4098 | max allocated: 6039 | cached: 6382 | max cached: 6390 | inactive: 118 | max inactive: 631 | param: 3314 | grad: 12 | buffer: 8", "rank=2 step=7 A=4098Mi maxA=6039Mi R=6382Mi maxR=6390Mi"},
	{"deepspeed", "[2024-02-02 10:00:00,101] [INFO] [utils.py:803:see_memory_usage] MA 3.17 GB         Max_MA 4.02 GB         CA 5.5 GB         Max_CA 6 GB ", "A=3.17Gi maxA=4.02Gi R=5.5Gi maxR=6Gi"},
	{"deepspeed zero", "MA 3.17 GB   Max_MA 3.20 GB   CA 3.4 GB   Max_CA 0 GB ", "A=3.17Gi maxA=3.2Gi R=3.4Gi"},
	{"deepspeed timer", "[2024-02-02 10:00:00,101] [INFO] [timer.py:260:stop] epoch=2/micro_step=80/global_step=20, RunningAvgSamplesPerSec=31.25, CurrSamplesPerSec=30.5, MemAllocated=5.11GB, MaxMemAllocated=28.4GB", "epoch=2 step=20 A=5.11Gi maxA=28.4Gi"},
	{"deepspeed breakdown", "time (ms) | fwd: 71.25 | mem_allocated: 2.1532 GB | max_mem_allocated: 3.0913 GB | cache_allocated: 3.3906 GB | max_cache_allocated: 3.3906 GB", "A=2.1532Gi maxA=3.0913Gi R=3.3906Gi maxR=3.3906Gi"},
	{"deepspeed status", "RANK=1 MEMSTATS after step device=cuda:1 current alloc=2.9532GB (delta=0.0211GB max=3.0913GB) current cache=4.3906GB (delta=0.0000GB max=4.5GB)", "rank=1 gpu=1 A=2.9532Gi maxA=3.0913Gi R=4.3906Gi maxR=4.5Gi"},
	{"deepspeed 2020", "Memory Allocated 2.953231334686279 GigaBytes\nMax Memory Allocated 3.09131383895874 GigaBytes\nCache Allocated 4.390625 GigaBytes\nMax cache Allocated 4.390625 GigaBytes", "A=2.953231334686279Gi maxA=3.09131383895874Gi R=4.390625Gi maxR=4.390625Gi"},
	{"torchtitan", "[rank4]:[titan] 2025-03-01 10:11:12,345 - root - INFO - step: 30  loss:  5.1384  memory: 38.25GiB(48.11%)  tps: 6,001  tflops: 301.16  mfu: 30.29%", "rank=4 step=30 maxR=38.25Gi"},
	{"torchtitan validate", "[titan] 2025-03-01 10:11:12,345 - root - INFO - validate step: 30  loss:  5.1384  memory: 38.25GiB(48.11%)  tps: 6,001", "step=30 maxR=38.25Gi"},
	{"torchtitan model", "[titan] 2025-03-01 10:11:02,345 - root - INFO - CUDA memory usage for model: 1.54GiB(1.91%)", "maxR=1.54Gi"},
	{"torchtitan capacity", "[titan] 2025-03-01 10:11:01,345 - root - INFO - CUDA capacity: NVIDIA H100 80GB HBM3 with 79.11GiB memory", "total=79.11Gi"},
	{"torchtitan keys", `{"step": 20, "memory/max_active(GiB)": 30.25, "memory/max_active(%)": 38.1, "memory/max_reserved(GiB)": 33.5, "memory/max_reserved(%)": 42.0, "memory/num_alloc_retries": 0, "memory/num_ooms": 0}`, "step=20 maxR=33.5Gi"},
	{"torchtune", "Memory stats after model init:\n\tGPU peak memory allocation: 9.31 GiB\n\tGPU peak memory reserved: 9.44 GiB\n\tGPU peak memory active: 9.31 GiB", "maxA=9.31Gi maxR=9.44Gi"},
	{"torchtune old", "Memory stats after model init:\n\tGPU peak memory allocation: 9.31 GB\n\tGPU peak memory reserved: 9.44 GB\n\tGPU peak memory active: 9.31 GB", "maxA=9.31G maxR=9.44G"},
	{"torchtune disk", "Step 12 | loss:1.105 lr:2e-05 tokens_per_second_per_gpu:400.7 peak_memory_active:17.5 peak_memory_alloc:17.25 peak_memory_reserved:18.75 ", "step=12 maxA=17.25Gi maxR=18.75Gi"},
	{"verl", "(WorkerDict pid=4711) Before update_actor, memory allocated (GB): 11.25, memory reserved (GB): 12.5, device memory used/total (GB): 20.31/79.11", "A=11.25Gi R=12.5Gi used=20.31Gi total=79.11Gi"},
	{"verl step", "step:31 - perf/max_memory_allocated_gb:np.float64(31.5) - perf/max_memory_reserved_gb:np.float64(40.25) - perf/cpu_memory_used_gb:np.float64(88.1) - training/global_step:31 - training/epoch:1", "step=31 epoch=1 maxA=31.5Gi maxR=40.25Gi"},
	{"verl fork", "perf/max_mem_alloc_gb:21.5 - perf/max_mem_rsvd_gb:29.25", "maxA=21.5Gi maxR=29.25Gi"},
	{"verl utils", "Memory usage [before_rollout]: Total: 79.11 GB, Allocated: 17.25 GB, Reserved: 20.5 GB, Cached: 3.25 GB", "total=79.11Gi A=17.25Gi R=20.5Gi"},
	{"verl freed", "Memory cleanup attempt 2: Freed 1.25 GB reserved, 0.10 GB allocated", ""},
	{"slime", "[Rank 5] Memory-Usage after onload: {'gpu': '5', 'total_GB': 79.11, 'free_GB': 30.5, 'used_GB': 48.61, 'allocated_GB': 40.0, 'reserved_GB': 44.5, 'host_total_GB': 2015.2, 'host_used_GB': 201.5}", "rank=5 gpu=5 total=79.11Gi used=48.61Gi A=40Gi R=44.5Gi"},
	{"prime-rl", "10:11:12 SUCCESS Step 44 | Time: 8.53s | Loss: 0.0123 | MFU: 31.4% | Peak Mem.: 55.4 GiB", "step=44 maxR=55.4Gi"},
	{"axolotl 2023", "[2023-08-10 10:00:00,101] [INFO] [axolotl.load_model:329] [PID:7411] GPU memory after model load: 5120 MB.", "used=5120Mi"},
	{"axolotl 2024", "[2024-04-10 10:00:00,101] [INFO] [axolotl.load_model:408] [PID:2311] [RANK:3] GPU memory usage after model load: 3.5GB (+0.25GB cache, +0.5GB misc)", "rank=3 A=3.5Gi R=3.75Gi used=4.25Gi"},
	{"axolotl 2025", "[2025-08-10 10:00:00,101] [INFO] [axolotl.train] [PID:2311] [RANK:1] cuda memory active: 11.5GB (+11.5GB allocated, +12.75GB reserved)", "rank=1 maxA=11.5Gi maxR=12.75Gi"},
	{"axolotl log", "{'loss': '0.91', 'memory/max_active (GiB)': '4.5', 'memory/max_allocated (GiB)': '4.25', 'memory/device_reserved (GiB)': '6.5', 'tokens/total': 512, 'epoch': '0.25'}", "epoch=0.25 maxA=4.25Gi maxR=6.5Gi"},
	{"hf", "  before_init_mem_gpu        =      412MB\n  train_mem_gpu_alloc_delta  =      153MB\n  before_init_mem_cpu        =     2012MB", "A=412Mi"},
	{"hf dict", "{'train_runtime': 31.2, 'before_init_mem_cpu': 2113929216, 'before_init_mem_gpu': 432013312, 'init_mem_gpu_alloc_delta': 0, 'train_mem_gpu_peaked_delta': 812646400, 'epoch': 3.0}", "epoch=3 A=432013312"},
	{"llama-factory", `{"current_steps": 30, "total_steps": 100, "loss": 1.2, "epoch": 0.3, "percentage": 30.0, "vram_allocated": 11.5, "vram_reserved": 13.25}`, "step=30 epoch=0.3 maxA=11.5Gi maxR=13.25Gi"},
	{"ms-swift", "{'loss': 0.31, 'grad_norm': 1.5, 'epoch': 0.5, 'global_step/max_steps': '50/100', 'memory(GiB)': 41.25, 'train_speed(iter/s)': 0.025}", "epoch=0.5 maxR=41.25Gi"},
	{"unsloth", "GPU = NVIDIA L4. Max memory = 22.161 GB.\n5.25 GB of memory reserved.\nPeak reserved memory = 7.5 GB.\nPeak reserved memory for training = 2.25 GB.\nPeak reserved memory % of max memory = 33.8 %.", "total=22.161Gi maxR=7.5Gi"},
	{"peft", "GPU Memory before entering the train : 4038\nGPU Total Peak Memory consumed during the train (max): 6955\nCPU Total Peak Memory consumed during the train (max): 2911", "maxA=6955Mi"},
	{"nemo", " 3: Training epoch 1, iteration 9/29 | lr: 5.389e-06 | global_batch_size: 512 | global_step: 38 | max_memory_reserved: 47244640256 | max_memory_allocated: 43008393216 | reduced_train_loss: 10.22", "rank=3 epoch=1 step=38 maxR=47244640256 maxA=43008393216"},
	{"composer", "[batch=40/4800]:\n\t Train memory/current_allocated_mem: 2.8951\n\t Train memory/current_inactive_mem: 0.6113\n\t Train memory/current_reserved_mem: 11.5500\n\t Train memory/peak_allocated_mem: 10.1010\n\t Train memory/peak_reserved_mem: 11.5500\n\t Train memory/alloc_retries: 0", "step=40 A=2.8951G R=11.55G maxA=10.101G maxR=11.55G"},
	{"composer 2023", "         Train memory/allocated_mem: 2.8951\n         Train memory/active_mem: 2.8951\n         Train memory/reserved_mem: 11.5500", "A=2.8951G R=11.55G"},
	{"composer 0.12", "         Train memory/allocated_mem: 99895100000\n", ""},
	{"llama-recipes", "Max CUDA memory allocated was 27 GB\nMax CUDA memory reserved was 33 GB\nPeak active CUDA memory was 29 GB\nCuda Malloc retires : 0\nCPU Total Peak Memory consumed during the train (max): 5 GB", "maxA=27Gi maxR=33Gi"},
	{"llama-recipes glued", "Training Epoch: 1/3, step 99/100 completed (loss: 0.41): 100%|██████| 100/100 [01:01<00:00,  1.63it/s]Max CUDA memory allocated was 27 GB", "epoch=1 step=99 maxA=27Gi"},
	{"lightning csv", "DeviceStatsMonitor.on_train_batch_end/allocated_bytes.all.current,DeviceStatsMonitor.on_train_batch_end/allocated_bytes.all.peak,DeviceStatsMonitor.on_train_batch_end/reserved_bytes.all.current,epoch,step\n2048,4096,6291456,0,19", "A=2048 maxA=4096 R=6291456 epoch=0 step=19"},
	{"csv", "epoch,step,train_loss,gpu_mem_allocated_mb,gpu_mem_reserved_mb\n1,120,0.5,3001.5,4096.0", "epoch=1 step=120 A=3001.5Mi R=4096Mi"},
}

var visionExamples = []example{
	{"mmcv", "2021-02-03 10:11:12,345 - mmdet - INFO - Epoch [3][150/900]\tlr: 0.00200, eta: 1:02:03, time: 0.401, data_time: 0.012, memory: 4321, loss_cls: 0.3, loss: 0.9", "epoch=3 step=150 maxA=4321Mi"},
	{"mmcv iter", "2021-02-03 10:11:12,345 - mmseg - INFO - Iter [850/40000]\tlr: 9.8e-03, eta: 3:02:03, time: 0.301, data_time: 0.005, memory: 7777, decode.loss_ce: 0.9, loss: 1.2", "step=850 maxA=7777Mi"},
	{"mmengine", "2023/06/01 10:11:12 - mmengine - INFO - Epoch(train)  [2][  50/ 900]  lr: 2.0e-03  eta: 1:02:03  time: 0.4  data_time: 0.01  memory: 5123  loss: 0.9", "epoch=2 step=50 maxA=5123Mi"},
	{"detectron2", "\x1b[32m[06/01 10:11:12 d2.utils.events]: \x1b[0m eta: 0:03:35  iter: 39  total_loss: 1.16  loss_cls: 0.4  time: 0.21  data_time: 0.01  lr: 0.00019  max_mem: 2911M", "step=39 maxA=2911Mi"},
	{"detr", "Epoch: [4]  [ 120/1430]  eta: 0:07:42  lr: 0.0001  loss: 9.46 (9.46)  time: 0.15  data: 0.001  max mem: 3321", "epoch=4 step=120 maxA=3321Mi"},
	{"torchvision, no eta", "Epoch: [2][30/5005]\tTime 0.401 (0.522)\tLoss 5.1 (5.2)\tAcc@1 3.10 (2.90)  max mem: 7411", "epoch=2 step=30 maxA=7411Mi"},
	{"swin", "[2022-03-01 10:11:12 swin_tiny] (main.py 231): INFO Train: [21/300][150/1251]\teta 0:11:52 lr 0.0007\ttime 0.64 (0.65)\tloss 6.5 (6.3)\tgrad_norm 6.5 (10.6)\tmem 9764MB", "epoch=21 step=150 maxA=9764Mi"},
	{"yolox old", "2021-08-01 | INFO     | yolox.core.trainer:237 - epoch: 3/80, iter: 40/57, mem: 5536Mb, iter_time: 0.5s, data_time: 0.01s, total_loss: 8.2", "epoch=3 step=40 maxA=5536Mi"},
	{"yolox new", "2023-05-01 10:00:00.101 | INFO     | yolox.core.trainer:after_iter:282 - epoch: 2/20, iter: 90/1051, gpu mem: 10839Mb, mem: 36.8Gb, iter_time: 1.1s", "epoch=2 step=90 maxA=10839Mi"},
	{"ultralytics", "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n     12/100      5.73G      1.181     0.5706      1.184         20        640: 100%|██████████| 16/16 [00:05<00:00,  2.78it/s]", "epoch=12 R=5.73Gi"},
	{"ultralytics 8.0", "Ultralytics YOLOv8.0.20 🚀 Python-3.10.6 torch-2.0.0+cu118 CUDA:0 (Tesla T4, 15102MiB)\n     12/100      5.73G      1.181     0.5706      1.184         20        640: 100%|██████████| 16/16", "epoch=12 gpu=0 total=15102Mi R=5.73G"},
	{"ultralytics cpu", "     12/100         0G      1.181     0.5706      1.184         20        640: 100%|██████████| 16/16", ""},
	{"slowfast", `[06/01 10:11:12][INFO] logging.py: 97: json_stats: {"_type": "train_iter", "dt": 0.5, "epoch": "11/50", "eta": "1:00:00", "gpu_mem": "3.68G", "iter": "80/159", "loss": 1.5}`, "epoch=11 step=80 maxA=3.68Gi"},
	{"slowfast ram", `json_stats: {"RAM": "12.31/125.77G", "_type": "train_epoch", "epoch": "11/50", "gpu_mem": "3.68G"}`, "epoch=11 maxA=3.68Gi"},
	{"recbole", "Train     2: 100%|███| 40/40 [00:00<00:00, 200.47it/s, GPU RAM: 0.25 G/11.91 G]", "maxR=0.25Gi total=11.91Gi"},
}

var otherExamples = []example{
	{"modded-nanogpt", "peak memory allocated: 28001 MiB reserved: 30114 MiB", "maxA=28001Mi maxR=30114Mi"},
	{"modded-nanogpt 2024", "peak memory consumption: 31239 MiB", "maxA=31239Mi"},
	{"nanochat", "Peak memory usage: 61422.02MiB", "maxA=61422.02Mi"},
	{"litgpt", "Training time: 145.12s\nMemory used: 11.30 GB", "maxA=11.3G"},
	{"litgpt generate", "Time for inference 1: 4.12 sec total, 48.5 tokens/sec\nMemory used: 11.30 GB", "maxR=11.3G"},
	{"instructlab", "Epoch 1: loss: 0.84, cuda_mem_allocated: 20.5 GB cuda_malloc_retries: 0 num_loss_counted_tokens: 3111", "epoch=1 A=20.5Gi"},
	{"nanotron", "09/01/2024 10:11:12 [INFO|DP=0|PP=0|TP=0]:  Memory usage: 1020.25MiB. Peak allocated 2040.5MiB. Peak reserved: 2100.00MiB", "A=1020.25Mi maxA=2040.5Mi maxR=2100Mi"},
	{"olmo", "[step=20/739328]\n    System/Peak GPU Memory (MB)=31,133", "step=20 maxA=31133M"},
	{"icefall", "2023-06-01 10:11:12,345 INFO [train.py:1019] (2/4) Maximum memory allocated so far is 15285MB", "rank=2 maxA=15285M"},
	{"espnet", "12epoch results: [train] iter_time=0.01, loss=21.5, total_count=130000, gpu_max_cached_mem_GB=22.186, [valid] loss=17.755", "epoch=12 maxR=22.186Gi"},
	{"returnn", "ep 4 train, step 17, ctc_4 4.5, num_seqs 10, max_size:time 225760, mem_usage:cuda:2 7.5GB, 0.650 sec/step", "epoch=4 step=17 gpu=2 maxA=7.5Gi"},
	{"fairseq", "2021-04-01 10:11:12 | INFO | fairseq.utils | rank   1: capabilities =  8.0  ; total memory = 39.586 GB ; name = NVIDIA A100-SXM4-40GB", "rank=1 total=39.586Gi"},
	{"xtuner", "[XTuner][RANK 2][2025-09-01 10:00:00][INFO] Epoch 1/1 Step 20/500 data_time: 0.02 lr: 0.00001 loss: 1.1 max_memory: 33.25 GB reserved_memory: 48.5 GB tgs: 1176.1", "rank=2 epoch=1 step=20 maxA=33.25Gi maxR=48.5Gi"},
	{"colossalai", "[09/08/22 10:11:12] INFO     colossalai - colossalai - INFO: Before step: GPU: allocated 934.5 MB, max allocated 1245.25 MB, cached: 1456.0 MB, max cached: 1458.0 MB, CPU Virtual Memory: used = 50123.4 MB, percent = 12.5%", "A=934.5Mi maxA=1245.25Mi R=1456Mi maxR=1458Mi"},
	{"fairscale", "Peak allocated bytes on cuda:3: 2.553711GB", "gpu=3 maxA=2.553711Gi"},
	{"fairscale golden", "Peak allocated bytes on cuda:1: 1447360512", "gpu=1 maxA=1447360512"},
	{"a1111", "Torch active/reserved: 2975/3144 MiB, Sys VRAM: 6890/8134 MiB (84.71%)", "maxR=3144Mi used=6890Mi total=8134Mi"},
	{"memlab", "Total Tensors: 907309726 \tUsed Memory: 3.36G\nThe allocated memory on cuda:1: 3.57G", "gpu=1 A=3.57Gi"},
	{"sglang diffusion", "\"allocated_mb\": 23905.64,\n\"reserved_mb\": 24308.0,\n\"peak_allocated_mb\": 23950.5,\n\"peak_reserved_mb\": 24310.0,", "A=23905.64Mi R=24308Mi maxA=23950.5Mi maxR=24310Mi"},
	{"gpustats", "{'gpu_id: 0/memory.used (MB)': 4789.0}", "gpu=0 used=4789Mi"},
	{"wandb", `"system.gpu.1.memoryAllocatedBytes": 5021630464`, "gpu=1 used=5021630464"},
	{"recstudio", "[2023-09-01 10:11:12] INFO Train time: 1.2s. Valid time: 0.2s. GPU RAM: 0.25/10.76 GB", "maxR=0.25Gi total=10.76Gi"},
	{"paddle", "global step 9 / 22140, loss: 1.7, avg_reader_cost: 0.00027 sec, max_mem_reserved: 16397 MB, max_mem_allocated: 14184 MB", "step=9 maxR=16397Mi maxA=14184Mi"},
	{"vllm capacity", "INFO 03-01 10:09:39 worker.py:267] the current vLLM instance can use total_gpu_memory (23.64GiB) x gpu_memory_utilization (0.90) = 21.28GiB", "total=23.64Gi"}, //nolint:misspell // as printed
	{"nccl", "host:12:77 [1] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 6291456 bytes", "gpu=1 oom"},
	{"fairseq free", "rank   0: capabilities =  7.0  ; total memory = 31.749 GB ; name = Tesla V100\nepoch 001:      2 / 100 loss=8.7, num_updates=2, train_wall=5, gb_free=2.5, wall=12", "rank=0 total=31.749Gi epoch=1 step=2 maxA=29.249Gi"},
}

var userExamples = []example{
	{"user res", "step 7 | alloc 11.25 GiB | res 13.5 GiB", "step=7 A=11.25Gi R=13.5Gi"},
	{"user res first", "res 13.5 GiB | alloc 11.25 GiB", "A=11.25Gi R=13.5Gi"},
	{"user res behind", "[gpu] 11.25 GiB alloc, 13.5 GiB res", "A=11.25Gi R=13.5Gi"},
	{"user res peaks", "max alloc: 11.25 GiB, max res: 13.5 GiB", "maxA=11.25Gi maxR=13.5Gi"},
	{"user resv", "alloc=11.25GiB resv=13.5GiB", "A=11.25Gi R=13.5Gi"},
	{"user rsvd", "alloc 11.25 GiB rsvd 13.5 GiB", "A=11.25Gi R=13.5Gi"},
	{"user unit behind", "Allocated: 11.25 Reserved: 13.50 (GiB)", "A=11.25Gi R=13.5Gi"},
	{"user unit behind, square", "alloc=11.25, reserved=13.50, peak alloc=12.75 [GiB]", "A=11.25Gi R=13.5Gi maxA=12.75Gi"},
	{"user unit in front", "[rank1]: (GiB) Allocated: 11.25 Reserved: 13.50", "rank=1 A=11.25Gi R=13.5Gi"},
	{"user unit of a head", "Memory (GiB): allocated 11.25, reserved 13.50", "A=11.25Gi R=13.5Gi"},
	{"user unit of a head, square", "step 3 VRAM [GiB]: allocated=11.25 reserved=13.50", "step=3 A=11.25Gi R=13.5Gi"},
	{"user unit of a longer head", "GPU memory usage (MiB): allocated 11250, reserved 13500", "A=11250Mi R=13500Mi"},
	{"user keys", "step 9 gpu_mem_alloc=11.25GiB gpu_mem_reserved=13.5GiB", "step=9 A=11.25Gi R=13.5Gi"},
	{"plain", "GPU memory allocated: 12.5 GiB\nGPU memory reserved: 14.25 GiB", "A=12.5Gi R=14.25Gi"},
	{"usage block", "Memory Usage:\nAllocated: 1.3 GB\nCached:    1.6 GB", "A=1.3Gi R=1.6Gi"},
	{"value first", "[Step 700] GPU Memory: 9.5GiB allocated, 10.25GiB reserved", "step=700 A=9.5Gi R=10.25Gi"},
	{"pipe", "[VRAM epoch 4] Allocated: 2.25 GiB | Reserved: 3.5 GiB", "epoch=4 A=2.25Gi R=3.5Gi"},
	{"equals with total", "[GPU MEM step 130] allocated=9.53GB reserved=10.91GB total=25.43GB", "step=130 A=9.53G R=10.91G total=25.43G"},
	{"percent", "  Allocated: 8.42GB / 15.84GB (53.2%)", "A=8.42G total=15.84G"},
	{"percent of an unknown card", "  Allocated: 20.25GiB / 45.05GiB (45.0%)", "A=20.25Gi total=45.05Gi"},
	{"two parts of one whole", "Allocated: 20.25GiB / 27.31GiB\nReserved: 22.5GiB / 27.31GiB", "A=20.25Gi R=22.5Gi total=27.31Gi"},
	{"of something else", "Allocated: 20.25GiB / 27.31GiB (74.1%)", "A=20.25Gi"},
	{"functions", "torch.cuda.memory_allocated    : 991.70 MiB\ntorch.cuda.max_memory_reserved : 1400.00 MiB", "A=991.7Mi maxR=1400Mi"},
	{"bytes", "Allocated memory: 5000192 bytes", "A=5000192"},
	{"no colons", "GPU | alloc 189 MB | reserved 1672 MB | peak_alloc 1320 MB | device 3140/6144 MB", "A=189Mi R=1672Mi maxA=1320Mi used=3140Mi total=6144Mi"},
	{"brackets", "Speed: 11234.5[samples/s] Peak allocated: 9234.56[MiB] Peak reserved: 10008.00[MiB]", "maxA=9234.56Mi maxR=10008Mi"},
	{"suffix", "peak_alloc_gib=0.485,peak_reserved_gib=0.490", "maxA=0.485Gi maxR=0.49Gi"},
	{"json", `{"step": 12, "allocated_gib": 10.5, "reserved_gib": 12.25}`, "step=12 A=10.5Gi R=12.25Gi"},
	{"exact first", "- peak allocated: 12,895,660,544 bytes (~12.90 GB decimal / 12.01 GiB)", "maxA=12895660544"},
	{"pairs", "[rank: 2] after train step allocated_memory: 10.5, 11.25 GiB, reserved_memory: 12.0, 13.5 GiB", "rank=2 A=10.5Gi maxA=11.25Gi R=12Gi maxR=13.5Gi"},
	{"tqdm", "Epoch 2:  41%|████▏     | 410/1000 [02:05<03:00,  3.27it/s, loss=1.1, alloc=9.52GiB, rsv=10.91GiB]", "epoch=2 A=9.52Gi R=10.91Gi"},
	{"two devices", "GPU 0: 1.5GiB allocated, 2.0GiB reserved | GPU 1: 3.5GiB allocated, 4.0GiB reserved", "gpu=1 A=3.5Gi R=4Gi"},
	{"emoji", "🔥 VRAM allocated → 3.5 GiB", "A=3.5Gi"},
	{"semicolons", "Peak allocated VRAM: 62.096 MiB; peak reserved: 120.000 MiB.", "maxA=62.096Mi maxR=120Mi"},
	{"after phase", "- allocated after warm up: 10.5 GiB\n- reserved after warm up: 11.5 GiB", "A=10.5Gi R=11.5Gi"},
	{"logger", "2025-01-02 03:04:05,678 INFO __main__ train.py:120 [rank 3] mem: allocated 3.5 GiB, reserved 4.25 GiB, max allocated 3.75 GiB, max reserved 4.5 GiB", "rank=3 A=3.5Gi R=4.25Gi maxA=3.75Gi maxR=4.5Gi"},
	{"on device", "Memory allocated on cuda:1: 812.5 MiB", "gpu=1 A=812.5Mi"},
	{"raw names", "max_memory_allocated=7516192768 max_memory_reserved=8053063680", "maxA=7516192768 maxR=8053063680"},
	{"heading line", "Peak memory:\n  Allocated: 5.25 GiB\n  Reserved: 6.5 GiB", "maxA=5.25Gi maxR=6.5Gi"},
	{"heading in line", "[rank 1] peak mem: alloc 5.25 GiB, resv 6.5 GiB", "rank=1 maxA=5.25Gi maxR=6.5Gi"},
	{"unit told once", "Memory (GiB): allocated 3.25, reserved 4.5, max 5.75", "A=3.25Gi R=4.5Gi maxA=5.75Gi"},
	{"both in brackets", "GPU memory (allocated/reserved): 3.25/4.50 GiB", "A=3.25Gi R=4.5Gi"},
	{"of a device", "Memory allocated for GPU 2: 3.25 GiB", "gpu=2 A=3.25Gi"},
	{"paths", `{"mem/allocated": 3446472704, "mem/reserved": 4718592000}`, "A=3446472704 R=4718592000"},
	{"no colon, unit in key", "allocated_memory_gib 3.25 reserved_memory_gib 6.5", "A=3.25Gi R=6.5Gi"},
	{"commas only", "GPU mem allocated 3.25GiB, cached 4.5GiB", "A=3.25Gi R=4.5Gi"},
	{"peaks in brackets", "step 10: allocated 3.25 GiB (max 5.5 GiB), reserved 6.5 GiB (max 6.75 GiB)", "step=10 A=3.25Gi maxA=5.5Gi R=6.5Gi maxR=6.75Gi"},
	{"versions and adapters", "torch 2.3 CUDA 12, LoRA rank 16: memory allocated 3.25 GiB", "A=3.25Gi"},
	{"unit in brackets behind a blank", "max_memory_allocated: 3.25 (GiB)", "maxA=3.25Gi"},
	{"wide commas", "allocated 3210 MiB，reserved 4500 MiB，峰值 4100 MiB", "A=3210Mi R=4500Mi"},
	{"wide colon", "显存 allocated：3.25 GiB", "A=3.25Gi"},
	{"unit in front of the colon", "CUDA memory allocated MiB: 3287.5", "A=3287.5Mi"},
	{"bytes of a plain key", "cuda memory allocated: 3446472704", "A=3446472704"},
	{"tag", "[VRAM] after step | allocated=3210.0 MiB | reserved=4500.0 MiB | peak=4100.0 MiB", "A=3210Mi R=4500Mi maxA=4100Mi"},
	{"long dash", "📊 GPU memory usage before training – allocated: 3.25 GiB | reserved: 4.5 GiB (device 0)", "gpu=0 A=3.25Gi R=4.5Gi"},
	{"MBytes and the host", "GPU memory usage memory_allocated: 3210 MiB, memory_cached: 4500 MiB, CPU memory usage: 2100 MiB", "A=3210Mi R=4500Mi"},
	{"one peak word for two", "peak GPU memory allocated 5012 MiB, reserved 6002 MiB", "maxA=5012Mi maxR=6002Mi"},
	{"one peak word, slash", "Max memory allocated: 5.25 GiB/ reserved 6.5 GiB", "maxA=5.25Gi maxR=6.5Gi"},
	{"peak and current", "peak allocated 5.25 GiB, allocated 3.25 GiB, reserved 6.5 GiB", "maxA=5.25Gi A=3.25Gi R=6.5Gi"},
	{"call", "torch.cuda.max_memory_allocated() = 5.5 GiB", "maxA=5.5Gi"},
	{"is", "GPU memory currently allocated is 512.5 MiB", "A=512.5Mi"},
}
