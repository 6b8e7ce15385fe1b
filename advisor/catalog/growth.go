package catalog

const groupGrowth = "Growth and pressure"

func growth() []Entry {
	return []Entry{leakEntry(), reservedGrowthEntry(), nonTorchLeakEntry(), forecastEntry(), headroomEntry(), retriesEntry(), transientEntry(), spikeEntry()}
}

func leakEntry() Entry {
	return Entry{
		ID: Leak, Group: groupGrowth, Place: 35, Name: "Tensors pile up from step to step",
		Meaning:  "Allocated memory at the same point of each step rises, step after step, and never comes back. Something keeps a reference to tensors of past steps: a loss that is summed with its graph, outputs in a list, a metric, a hook.",
		Needs:    "allocated of a process over 20 samples or more, or 8 lines of a log that print it; memory must also be freed in between, or the log must count steps",
		Confirm:  "Call torch.cuda.memory_allocated() at the end of each step: it rises by about the same amount each time. torch.cuda.memory._snapshot() shows which lines allocated what stays.",
		Refute:   "It stops rising after a warm-up, or falls back at the end of the epoch or of the evaluation.",
		Folklore: "empty_cache does not cure a leak: it can give back only memory that no tensor uses. Deleting a variable does not lower nvidia-smi's figure, it makes room in PyTorch's cache.",
		claims: map[string]string{
			"run":   "Allocated memory rises by {rate} and does not come back: its floor went from {from} to {to} in {time}",
			"steps": "Allocated memory rises by {perstep} a step and does not come back: its floor went from {from} to {to} over {steps} steps",
			"log":   "Allocated memory rises from line to line of the log, from {from} to {to} over {lines} lines, and does not come back",
		},
		checks: []check{capturesCheck()},
		Advice: []Advice{
			capturesAdvice(),
			{Do: "Sum and log numbers, not tensors.", figures: "What stays is {perstep} a step: look for what has that size.", Code: "total += loss.item()   # not: total += loss", Cost: "one synchronisation with the GPU where it is called; log every 50 steps if that matters.", Limits: "help when whole outputs are kept in a list."},
			{Do: "Detach and move to the host whatever is kept beyond the step: outputs, predictions, hidden states.", Code: "outputs.append(y.detach().cpu())", Cost: "a copy to the host a step."},
			{Do: "Reset metric objects at the end of each epoch, and remove hooks that store tensors.", Code: "metric.reset(); handle.remove()"},
			{Do: "Where hidden states are carried from step to step, cut the graph.", Code: "h = h.detach()", Limits: "change what one step needs."},
			{Do: "Find the line: record the history of allocations for some steps and open the file at pytorch.org/memory_viz.", Code: "torch.cuda.memory._record_memory_history(); …; torch.cuda.memory._dump_snapshot('snap.pickle')", Cost: "a few percent of speed while it records."},
		},
	}
}

func reservedGrowthEntry() Entry {
	return Entry{
		ID: ReservedGrowth, Group: groupGrowth, Place: 40, Name: "The cache grows, the tensors do not",
		Meaning:  "Reserved climbs in many small rises far above anything that tensors ever needed at once. Each request is a little larger than any cached block, or the free blocks are in pieces, so PyTorch asks the driver for more and keeps the old ones.",
		Needs:    "reserved and allocated (or its peak) of a process over 12 samples or lines; at least 13 rises spread over the window",
		Confirm:  "torch.cuda.memory_stats()['inactive_split_bytes.all.current'] and the number of segments rise with reserved. With expandable segments the same run stays flat.",
		Refute:   "Reserved settles after the largest batch was seen once, or the peak of allocated rises with it.",
		Folklore: "This is no leak in the code: no tensor is alive there. A smaller batch only delays it.",
		claims: map[string]string{
			"run":     "Reserved rose by {rise} in {time}, to {to}, in {rises} rises, while tensors never needed more than {need}",
			"flushed": "Reserved climbs to {to} while tensors never needed more than {need}; the cache was flushed {flushes} and climbs again",
			"level":   "Reserved rose from {from} to {to} in {rises} rises, while allocated stays at {need}",
		},
		checks: []check{capturesCheck()},
		Advice: []Advice{
			capturesAdvice(),
			{not: []Tag{ExpandableOn, TooOldForExpandable}, Do: "Let segments grow instead of taking new ones. Set it in the environment, before torch is imported.", Code: "PYTORCH_ALLOC_CONF=expandable_segments:True   (before torch 2.9: PYTORCH_CUDA_ALLOC_CONF)", Cost: "none to speak of; a few libraries that share memory between processes do not like it.", Limits: "help where the live tensors themselves do not fit."},
			{needs: []Tag{ExpandableOn}, Do: "Expandable segments are on already, so this growth is something else: look for private pools of CUDA graphs, for many streams, and for max_split_size_mb set beside it."},
			{needs: []Tag{TooOldForExpandable}, Do: "This torch has no expandable segments (they came with 2.1). Upgrade, or round sizes.", Code: "PYTORCH_CUDA_ALLOC_CONF=roundup_power2_divisions:4"},
			{Do: "Make sizes repeat: pad sequence lengths to a few fixed values, so that cached blocks fit again.", Code: "pad_to_multiple_of=128", Cost: "some padding."},
			{Do: "Run the largest batch first: later ones then fit into its blocks."},
			{Do: "Empty the cache at a phase boundary, for example between epochs. Not in every step.", Code: "torch.cuda.empty_cache()", Cost: "each call waits for the GPU and the next steps ask the driver again; done in every step it slows the job down.", Limits: "return memory in segments that are partly in use."},
		},
	}
}

func nonTorchLeakEntry() Entry {
	return Entry{
		ID: NonTorchLeak, Group: groupGrowth, Place: 38, Name: "Growth outside PyTorch",
		Meaning: "The process takes more and more GPU memory while PyTorch's own figures stay flat. Another library in the process allocates and does not free: a renderer, a codec, a communicator, an extension.",
		Needs:   "the driver's figure of the process and PyTorch's reserved, over 30 samples",
		Confirm: "nvidia-smi rises for this process and torch.cuda.memory_reserved() does not.",
		Refute:  "Reserved rises by the same amount: then it is PyTorch's cache.",
		claims:  map[string]string{"run": "The process takes {rate} more outside PyTorch: from {from} to {to} in {time}, while reserved stays flat"},
		Advice: []Advice{
			{Do: "Create contexts, communicators, sessions and CUDA graphs once, outside the loop, and close what is created inside it."},
			{Do: "Call such a library from one thread per GPU; several keep state per thread."},
			{Do: "Update the library and CUDA: growth with plain layers was cured by CUDA 12.2.", Limits: "help when your code creates the objects."},
			{Do: "Bisect: take the extension out and see whether the growth stops. empty_cache has no say over this memory."},
		},
	}
}

func forecastEntry() Entry {
	return Entry{
		ID: ForecastFull, Group: groupGrowth, Place: 80, Name: "Full soon at this rate",
		Meaning: "Growth that was found goes on, and at its rate the card is full within the range given. All processes that grow on the card count together: each of three may be far from filling it alone. It is a symptom: the cause is another finding.",
		Needs:   "a leak or a growth of a process, or several processes that take more and more all through 60 samples, and what is free on the card",
		Confirm: "The range moves closer with time.",
		Refute:  "The growth stops.",
		claims: map[string]string{
			"run":  "At {rate} the card is full in {early} to {late}: {free} are free now",
			"many": "{count} processes together take {rate} more, so the card is full in {early} to {late}: {free} are free now; it is the growth of {who}",
		},
		Advice: []Advice{
			{running: true, Do: "Save a checkpoint now, while there is room for it."},
			{not: []Tag{GrowTogether}, Do: "Deal with the cause: it is named in the finding before this one."},
			{needs: []Tag{GrowTogether}, Do: "Begin with the process that has the largest share. Where a finding of its own names the cause of its growth, deal with that; else move it to another card, or restart it before the time given."},
		},
	}
}

func headroomEntry() Entry {
	return Entry{
		ID: HeadroomLow, Group: groupGrowth, Place: 82, Name: "Little room left",
		Meaning: "Almost nothing is free on the card. That alone is no harm: PyTorch keeps what it once had. It leaves little for what comes later: an evaluation, a checkpoint, NCCL buffers, a longer batch.",
		Needs:   "free memory of the card",
		Confirm: "The peak of allocated is close to the card as well.",
		Refute:  "Much of reserved is idle cache: then there is room inside.",
		claims: map[string]string{
			"run":   "{free} of {total} are free ({share}): there is little room for what comes later",
			"cache": "{free} of {total} are free ({share}), but {idle} of PyTorch's cache was never needed at once",
		},
		Advice: []Advice{
			{Do: "Leave 5 to 10 % of the card for what comes later, by a smaller batch or by gradient accumulation."},
			{Do: "Memory for NCCL and for CUDA libraries is taken outside PyTorch: it needs free memory, not cache."},
		},
	}
}

func retriesEntry() Entry {
	return Entry{
		ID: AllocRetries, Group: groupGrowth, Place: 44, Name: "The cache is flushed again and again",
		Meaning: "PyTorch found no room, gave its whole cache back to the driver and asked again. Each time the GPU stands still and the next step has to build its cache anew: slow, and one step from failing.",
		Needs:   "the allocator's counter of retries (num_alloc_retries)",
		Confirm: "torch.cuda.memory_stats()['num_alloc_retries'] rises from step to step.",
		Refute:  "It rose once, at a change of phase.",
		claims: map[string]string{
			"run":   "PyTorch flushed its cache and asked the driver again {count} in {time}, at {reserved} reserved",
			"steps": "PyTorch flushed its cache and asked the driver again {count} in {steps} steps, at {reserved} reserved",
			"once":  "PyTorch flushed its cache and asked the driver again {count}, at {reserved} reserved",
		},
		Advice: []Advice{
			{needs: []Tag{Capped}, Do: "Plenty was free on the card just before, which a limit of the process itself would explain. Where one is set, raise or drop it.", Code: "torch.cuda.set_per_process_memory_fraction(1.0)"},
			{not: []Tag{ExpandableOn, TooOldForExpandable}, Do: "Let segments grow, so that cached blocks fit again.", Code: "PYTORCH_ALLOC_CONF=expandable_segments:True", Limits: "make room where live tensors fill the card."},
			{Do: "Lower the peak a little: a slightly smaller batch is often faster than one that flushes every step.", Code: "batch_size //= 2; accumulate 2 steps; (loss / 2).backward()"},
			{Do: "Make sizes repeat (padding to fixed lengths), so that a cached block fits the next request.", Cost: "some padding."},
		},
	}
}

func transientEntry() Entry {
	return Entry{
		ID: TransientPeak, Group: groupGrowth, Place: 50, Name: "Short peaks far above the usual",
		Meaning: "Now and then allocated jumps to many times what the steps need, for a short time. The peak decides whether the job fits, not the level that is usually seen.",
		Needs:   "allocated of a process, read often enough to see the peaks",
		Confirm: "torch.cuda.max_memory_allocated(), reset before the suspected operation, shows the peak.",
		Refute:  "Every step reaches that height: then it is what a step needs.",
		claims:  map[string]string{"run": "Allocated jumped {count} times to {peak}, {times} times the {usual} that steps need otherwise"},
		Advice: []Advice{
			{Do: "Find the operation: it is what runs every few steps and not in each (a metric over all pairs, a full-size mask, an image grid, a gather on one rank).", Code: "torch.cuda.reset_peak_memory_stats(); …; print(torch.cuda.max_memory_allocated())"},
			{Do: "Do it in pieces, or on the host.", Code: "for part in x.split(1024): …", Cost: "some speed for that operation only."},
			{Do: "Empty the cache after it if something outside PyTorch needs the room.", Code: "torch.cuda.empty_cache()", Limits: "lower the peak itself."},
		},
	}
}

func spikeEntry() Entry {
	return Entry{
		ID: LengthSpike, Group: groupGrowth, Place: 51, Name: "One batch much larger than the rest",
		Meaning: "The steps before all peaked at one height; this one needed much more. One batch was larger or longer: a long sequence, padding to an outlier, a batch sampler that overshoots its limit.",
		Needs:   "allocated and its peak over 40 samples before the failure",
		Confirm: "Print the shape of the batch before the forward pass: the failing one is the largest so far.",
		Refute:  "The shape is the same as before: then something else has grown.",
		claims:  map[string]string{"oom": "One step needed {peak} where the steps before peaked at {usual}: one batch is much larger than the rest"},
		Advice: []Advice{
			{Do: "Cap the padded size of a batch, not the number of samples: longest × count.", Code: "max_tokens = max(len) * len(batch) <= limit"},
			{Do: "Sort or bucket by length, and cut or skip outliers.", Code: "tokenizer(..., truncation=True, max_length=N)"},
			{Do: "Run the longest batch first: if it fits, all do, and the failure comes at once instead of after hours."},
		},
	}
}
