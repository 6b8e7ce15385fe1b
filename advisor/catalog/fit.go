package catalog

const groupFit = "What does not fit"

func doesNotFit() []Entry {
	return []Entry{activationsEntry(), fp32Entry(), modelEntry(), optimizerEntry(), logitsEntry(), kvEntry(), checkpointEntry(), fractionEntry(), capacityEntry()}
}

// smallerSteps is the advice that fits whenever one step is too large.
func smallerSteps() []Advice {
	return []Advice{
		{Do: "Make the batch smaller and accumulate gradients, with the loss divided by the number of steps.", figures: "{asked} were asked for and {had} were to be had: it has to need at least {short} less.", Code: "(loss / k).backward(); if (i + 1) % k == 0: opt.step(); opt.zero_grad(set_to_none=True)", Cost: "none in quality for most losses; batch normalisation sees smaller batches.", Limits: "help when one sample does not fit."},
		{Do: "Use bf16 for forward and backward. GradScaler is needed for fp16 only, not for bf16.", Code: "with torch.autocast('cuda', dtype=torch.bfloat16): loss = model(x)", Cost: "usually faster; weights stay in fp32.", Limits: "shrink weights, gradients and optimizer state."},
		{Do: "Recompute activations in the backward pass instead of keeping them.", Code: "model.gradient_checkpointing_enable()   # or torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)", Cost: "about one more forward pass a step."},
	}
}

func activationsEntry() Entry {
	return Entry{
		ID: ActivationsTooLarge, Group: groupFit, Place: 60, Name: "One step does not fit",
		Meaning:  "Between steps allocated is low; within a step it rises to the end of the card. The activations of one forward and backward pass are what does not fit.",
		Needs:    "allocated over the run before the failure, or a request larger than the card",
		Confirm:  "With half the batch the peak of allocated is about half as far above the level between steps.",
		Refute:   "The level between steps is what fills the card: then it is weights, optimizer state or a leak.",
		Folklore: "The text of the error advises expandable_segments or max_split_size_mb whatever the cause. With hardly any idle cache they change nothing.",
		claims: map[string]string{
			"oom":   "One step needed more than the card has: allocated was {floor} between steps and rose by {rise} to {peak} when a request for {tried} failed",
			"giant": "One operation asked for {tried}, more than the whole card of {total}",
		},
		Advice: append(append([]Advice{
			{needs: []Tag{OneGiant}, Do: "Split that operation into pieces (attention over a long sequence, a distance matrix, a full-size mask, a 3-D convolution).", figures: "In {pieces} pieces or more each fits into what was to be had.",
				Code: "torch.cat([reduce(f(part)) for part in x.split(n)])   # keep what is needed of each part, not all of it", exact: "torch.cat([reduce(f(part)) for part in x.chunk({pieces})])   # keep what is needed of each part, not all of it"},
			{not: []Tag{OneGiant}, Do: "Make the batch smaller and accumulate gradients, with the loss divided by the number of steps.", figures: "With {batch} of this batch the request would have been served; the rest of the step may need more: try half.",
				Code: "(loss / k).backward(); if (i + 1) % k == 0: opt.step(); opt.zero_grad(set_to_none=True)", Cost: "none in quality for most losses; batch normalisation sees smaller batches.", Limits: "help when one sample does not fit."},
		}, smallerSteps()[1:]...), Advice{Do: "Attention over long sequences: use the fused kernels, which do not keep the whole score matrix.", Code: "torch.nn.functional.scaled_dot_product_attention(q, k, v)   # or attn_implementation='sdpa'"},
			Advice{not: []Tag{OneGiant}, Do: "Split one giant operation into pieces (a distance matrix, a full-size mask, a 3-D convolution).", Code: "torch.cat([f(part) for part in x.split(n)])"}),
	}
}

func fp32Entry() Entry {
	return Entry{
		ID: FP32, Group: groupFit, Place: 53, Name: "Matrix products in full fp32",
		Meaning: "The chip is busy, its fp32 units do all the arithmetic and its tensor units stand still. In bf16 the same products are several times faster and activations take half the memory.",
		Needs:   "the chip's own counters (GPM, Hopper or newer); never guessed without them",
		Confirm: "print(next(model.parameters()).dtype) is float32 and there is no autocast around the forward pass.",
		Refute:  "The work needs full precision, or has no large matrix products.",
		claims:  map[string]string{"run": "The chip is busy ({sm} % of its processors) with fp32 arithmetic ({fp32} %) and its tensor units stand still ({tensor} %)"},
		Advice: []Advice{
			{Do: "Run forward and loss under autocast in bf16. No GradScaler: that is for fp16.", Code: "with torch.autocast('cuda', dtype=torch.bfloat16): …", Cost: "faster; losses differ in the third digit.", Limits: "shrink weights and optimizer state."},
			{Do: "If it has to be fp32, allow TF32 for matrix products.", Code: "torch.set_float32_matmul_precision('high')", Cost: "10 bits of mantissa in products.", Limits: "save memory."},
			{Do: "For inference load the weights in bf16.", Code: "AutoModel.from_pretrained(name, torch_dtype=torch.bfloat16)"},
		},
	}
}

func modelEntry() Entry {
	return Entry{
		ID: ModelTooBigAtLoad, Group: groupFit, Place: 56, Name: "The weights alone fill the card",
		Meaning: "Memory rose without a pause and without anything being freed until the card was full, before the first step. The weights do not fit, or they are loaded in too wide a type, or twice.",
		Needs:   "allocated before the failure, or a traceback that shows the model being built or moved",
		Confirm: "Parameters × bytes a parameter: 4 in fp32, 2 in bf16. Compare with the card.",
		Refute:  "Steps were made before it failed.",
		claims: map[string]string{
			"run": "The weights fill the card before the first step: {allocated} of {total} were allocated when a request for {tried} failed",
			"oom": "It failed while the model was built or moved to the GPU, with {allocated} of {total} allocated",
		},
		Advice: []Advice{
			{Do: "Load in bf16 from the start; converting afterwards needs both copies.", figures: "Of fp32 weights, what was loaded so far ({allocated}) takes {half} then.", Code: "from_pretrained(name, torch_dtype=torch.bfloat16, low_cpu_mem_usage=True)"},
			{Do: "Load quantised for inference or adapters.", Code: "BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)", Cost: "some quality and some speed."},
			{Do: "Spread the layers over all GPUs, the rest to the host.", Code: "from_pretrained(name, device_map='auto')", Cost: "much slower where layers lie on the host."},
			{Do: "To train it, shard weights, gradients and state over the ranks.", Code: "fully_shard(model)   # FSDP2; or DeepSpeed ZeRO-3", Cost: "traffic between the GPUs at each layer.", Limits: "help if every rank first loads the whole model: build it on the meta device."},
			{Do: "If other GPUs are empty, it is a question of placement: name the device.", Code: "CUDA_VISIBLE_DEVICES=1, or model.to('cuda:1')"},
		},
	}
}

func optimizerEntry() Entry {
	return Entry{
		ID: OptimizerStateFirstStep, Group: groupFit, Place: 55, Name: "The first optimizer step does not fit",
		Meaning: "Weights and gradients fit; the first call of optimizer.step() creates the optimizer's state. Adam in fp32 needs 8 bytes a parameter, and its default (foreach) form one more copy for a moment.",
		Needs:   "levels of allocated before the first step, or a traceback in the optimizer",
		Confirm: "It fails in the first optimizer.step(), and four times the weights is more than the card.",
		Refute:  "Later steps were made before.",
		claims: map[string]string{
			"run":   "Weights ({weights}) and gradients (together {grads}) fit, the optimizer's state does not: allocated was at {peak} when it failed",
			"stack": "It failed in the first optimizer step: a request for {tried} failed with {allocated} allocated and {free} free",
		},
		Advice: []Advice{
			{Do: "Use the form of Adam that makes no extra copy.", figures: "The state itself needs {state} more.", Code: "torch.optim.AdamW(params, foreach=False)   # or fused=True", Cost: "foreach=False is a little slower, fused=True is faster.", Limits: "save the state itself."},
			{Do: "Use an optimizer with small state.", figures: "In 8 bits the state needs {small} instead of {state}.", Code: "bitsandbytes.optim.AdamW8bit(params)   # or Adafactor, or SGD", Cost: "2 bytes a parameter instead of 8."},
			{Do: "Train adapters instead of all weights.", Code: "peft.LoraConfig(r=16, …)"},
			{Do: "Shard the state over the ranks.", Code: "ZeroRedundancyOptimizer(params, optimizer_class=torch.optim.AdamW)   # or FSDP", Limits: "help on one GPU."},
			{Do: "Keep the state on the host.", Code: "DeepSpeed: \"offload_optimizer\": {\"device\": \"cpu\"}", Cost: "a step waits for the host."},
		},
	}
}

func logitsEntry() Entry {
	return Entry{
		ID: LogitsLargeVocab, Group: groupFit, Place: 54, Name: "Logits over a large vocabulary",
		Meaning: "The loss needs tokens × vocabulary × 4 bytes for the logits in fp32, and as much again for their gradient. With 150,000 entries that is more than the rest of the step.",
		Needs:   "a traceback in the loss and the size of the request",
		Confirm: "The request is about batch × length × vocabulary × 4 bytes (2 in bf16).",
		Refute:  "The request has nothing to do with the vocabulary.",
		claims:  map[string]string{"oom": "It failed in the loss over the vocabulary: a request for {tried} in one piece failed with {free} free"},
		Advice: []Advice{
			{Do: "Use a fused or chunked loss that never holds all logits.", Code: "liger_kernel.transformers.LigerFusedLinearCrossEntropyLoss()   # or torchtune.modules.loss.LinearCrossEntropyLoss", Cost: "about as fast."},
			{Do: "Compute logits only where there is a label."},
			{Do: "Shorten the sequences or the batch, and accumulate.", Code: "(loss / k).backward()"},
		},
	}
}

func kvEntry() Entry {
	return Entry{
		ID: KVCacheGrowth, Group: groupFit, Place: 58, Name: "The cache of a generating model",
		Meaning: "Generation keeps keys and values of every token so far, or a server takes a planned share of the card for them at start. The first grows with length and batch, the second is by design.",
		Needs:   "a traceback in the cache, or the command line of a known server",
		Confirm: "layers × heads × head size × tokens × batch × 2 × bytes is the size of the growth.",
		Refute:  "It grows while nothing is generated.",
		claims: map[string]string{
			"oom":    "It failed while a generation cache grew: a request for {tried} failed with {free} free",
			"server": "The server ({server}) takes {share} of the card by plan: {used}",
		},
		Advice: []Advice{
			{Do: "Limit what is kept: the longest output and the longest context.", Code: "generate(max_new_tokens=N); vLLM: --max-model-len 8192"},
			{Do: "Give the server a smaller share, so that CUDA graphs, NCCL and training have room.", Code: "vLLM: --gpu-memory-utilization 0.85", Limits: "help if 0.9 and more was planned and another process shares the card."}, //nolint:misspell // the name of the option
			{Do: "Generate with no_grad, in smaller batches, or with a quantised cache.", Code: "with torch.inference_mode(): …"},
		},
	}
}

func checkpointEntry() Entry {
	return Entry{
		ID: CheckpointLoadDoubling, Group: groupFit, Place: 32, Name: "A loaded checkpoint stays on the GPU",
		Meaning: "After resuming, allocated is higher than before by about a copy of the weights (or of the optimizer's state): the loaded state dict is still referenced, or was loaded onto the GPU beside the model.",
		Needs:   "allocated before and after, and a line about the checkpoint: a level alone may be an average of the weights or a second network. Where it doubles before the first step, also the peak of the steps that follow, to tell it from the state of an optimizer",
		Confirm: "A run from scratch has a lower level. del checkpoint; gc.collect() right after loading lowers it.",
		Refute:  "The step is something made on purpose: an EMA copy, layers that were unfrozen.",
		claims: map[string]string{
			"run":  "Allocated between steps went up by {step} at once, from {from} to {to}, and stays: about one more copy of the weights",
			"kept": "Allocated doubled from {from} to {to} where a line says that a checkpoint is read, and stays: what was read is still there beside the weights, it seems",
			"oom":  "It failed while a checkpoint was read: a request for {tried} failed with {allocated} allocated",
		},
		Advice: []Advice{
			{Do: "Load to the host and drop the checkpoint afterwards.", Code: "ckpt = torch.load(path, map_location='cpu'); model.load_state_dict(ckpt['model']); del ckpt"},
			{Do: "Map the file instead of reading it.", Code: "torch.load(path, map_location='cpu', mmap=True)"},
			{Do: "Save module.state_dict() only, not the wrapped model, and do not keep a deep copy of it on the GPU."},
			{Do: "If the level has to fall for something outside PyTorch, empty the cache once, after the del.", Code: "gc.collect(); torch.cuda.empty_cache()"},
		},
	}
}

func fractionEntry() Entry {
	return Entry{
		ID: MemoryFractionLimit, Group: groupFit, Place: 65, Name: "The process's own limit refused it",
		Meaning: "There was room on the card. A limit set with set_per_process_memory_fraction (or per_process_memory_fraction in the allocator's settings) refused the request.",
		Needs:   "an error text with 'allowed' in it; or the allocator's counters of failures and flushes, and what is free on the card",
		Confirm: "The text says how much is allowed, and free is larger than the request.",
		Refute:  "Free is smaller than the request: then the card itself is full.",
		claims: map[string]string{
			"oom":      "The limit of this process refused a request for {tried}: {allowed} were allowed, {free} were free on the card",
			"counters": "A request failed at {reserved} reserved, as the cache had been flushed there before, while {free} of the card were free: a limit of the process itself was met",
		},
		Advice: []Advice{
			{Do: "Raise or drop the limit.", figures: "{fraction} of the card is enough for this request, 1.0 is no limit.", exact: "torch.cuda.set_per_process_memory_fraction({fraction})   # or more", Code: "torch.cuda.set_per_process_memory_fraction(1.0)", Limits: "hold the CUDA context and libraries: they come on top of it."},
			{Do: "If the limit is meant, the job needs less: see the other findings for what fills it.", figures: "It was short of {short}."},
		},
	}
}

func capacityEntry() Entry {
	return Entry{
		ID: Capacity, Group: groupFit, Place: 70, Name: "Live tensors fill the card",
		Meaning:  "The honest rest: what is in use is in use by live tensors, hardly anything is idle, and nobody else holds the card. The job needs less memory or more card.",
		Needs:    "an error text, or the allocator's counter of failures",
		Confirm:  "Allocated is close to the whole card at the failure; idle cache is small.",
		Refute:   "Much is idle or held by others: then the cause is there.",
		Folklore: "empty_cache does not cure an error raised inside PyTorch: it gave back what it could before it raised. TORCH_USE_CUDA_DSA and CUDA_LAUNCH_BLOCKING free nothing. The advice about expandable_segments or max_split_size_mb is printed with every such error.",
		claims: map[string]string{
			"oom":        "Live tensors fill what there is: {allocated} of {total} allocated, {free} free, when a request for {tried} failed",
			"beside":     "Live tensors ({allocated}) and what is outside PyTorch ({outside}) fill the card of {total}: {free} were free when a request for {tried} failed",
			"short":      "The card was full: {free} of {total} free when a request for {tried} failed; the text does not say who held the rest",
			"contradict": "A request for {tried} failed, but the figures of the text contradict each other: {allocated} allocated and {free} free of {total}",
			"counters":   "The allocator counted a failed request; its text was not seen",
			"bare":       "CUDA was out of memory; the text has no figures, and may mean pinned host memory instead of the GPU",
		},
		Advice: append(append([]Advice{
			{needs: []Tag{NoFigures}, Do: "Find out which memory it was: look at free memory of the card at that moment. If half of it was free, it is pinned host memory (often on WSL 2).", Code: "DataLoader(pin_memory=False); on WSL 2 raise memory= in .wslconfig"},
			{needs: []Tag{NoHolder}, Do: "Find out who holds the card: another process, or this one, and of this one whether tensors or an idle cache.", Code: "nvidia-smi --query-compute-apps=pid,used_memory --format=csv; print(torch.cuda.memory_summary())"},
		}, smallerSteps()...),
			Advice{Do: "Shard over several GPUs, or use one with more memory.", Code: "fully_shard(model)", Cost: "traffic between GPUs."}),
	}
}
