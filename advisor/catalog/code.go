package catalog

const groupCode = "In the code"

func code() []Entry {
	return []Entry{evalEntry(), predictionsEntry(), stageEntry(), recoveryEntry()}
}

func evalEntry() Entry {
	return Entry{
		ID: EvalWithoutNoGrad, Group: groupCode, Place: 30, Name: "Evaluation keeps gradients",
		Meaning:  "In evaluation allocated climbs from batch to batch, or stands higher than training ever did, and falls when evaluation ends: the graphs of all batches are kept because gradients are on.",
		Needs:    "allocated, and lines that say when evaluation runs",
		Confirm:  "print(torch.is_grad_enabled()) inside the evaluation loop says True.",
		Refute:   "It says False: then predictions are kept on the GPU, or the batches are larger.",
		Folklore: "model.eval() does not turn gradients off: it switches dropout and batch normalisation. no_grad round the forward pass alone does not help if the loss is computed outside it.",
		claims: map[string]string{
			"run":      "Allocated climbs from {base} to {top} in evaluation and falls back when it ends ({count}): gradients are kept",
			"unmarked": "Allocated climbs from {base} to {top} over several batches and falls back ({count}), as in an evaluation that keeps gradients",
			"open":     "Allocated climbs from {base} to {top} in {time} of an evaluation that still runs, and none of it comes back: gradients may be kept",
			"oom":      "It failed in evaluation after training steps had fitted: a request for {tried} failed with {allocated} allocated",
		},
		Advice: []Advice{
			{Do: "Switch gradients off for the whole evaluation loop, loss and metrics included.", Code: "@torch.inference_mode()  # or: with torch.no_grad():\ndef validate(model, loader): …", Cost: "none; it is faster."},
			{Do: "Keep numbers, not tensors.", Code: "total += loss.item()"},
			{Do: "A smaller evaluation batch only hides it.", Limits: "stop the climb."},
		},
	}
}

func predictionsEntry() Entry {
	return Entry{
		ID: EvalPredictions, Group: groupCode, Place: 31, Name: "Predictions pile up on the GPU",
		Meaning: "In evaluation each batch frees its activations, but its outputs are kept on the GPU until the end.",
		Needs:   "allocated and its peak, and lines that say when evaluation runs",
		Confirm: "The climb a batch is batch × outputs × bytes.",
		Refute:  "The climb is many times the size of the outputs: then graphs are kept.",
		claims: map[string]string{
			"run":      "Outputs of evaluation stay on the GPU: allocated climbs from {base} to {top} and falls back when it ends ({count})",
			"unmarked": "Allocated climbs from {base} to {top} over many batches and falls back ({count}), as with outputs that are kept on the GPU",
		},
		Advice: []Advice{
			{Do: "Move outputs to the host as they come, or keep only what the metric needs.", Code: "preds.append(y.argmax(-1).cpu())", Cost: "a copy a batch."},
			{Do: "Trainer of transformers: move them in groups.", Code: "TrainingArguments(eval_accumulation_steps=16), preprocess_logits_for_metrics=lambda l, _: l.argmax(-1)", Limits: "help host memory when whole logits are kept."},
			{Do: "Update metrics batch by batch instead of at the end."},
		},
	}
}

func stageEntry() Entry {
	return Entry{
		ID: SecondStage, Group: groupCode, Place: 33, Name: "The model before is still there",
		Meaning:  "When a new stage, fold or trial begins, allocated goes up by about a whole model with its optimizer and stays: the one before is still referenced.",
		Needs:    "allocated over at least three stages whose levels rise alike, or over two where a line announces the second: one new level that no line speaks of may be an average of the weights, an optimizer or layers that train from now on",
		Confirm:  "gc.collect() and torch.cuda.memory_allocated() after deleting all references bring the level of the first stage.",
		Refute:   "Both models are meant to be there (teacher and student, an EMA copy).",
		Folklore: "del model alone does not free it: the optimizer, a scheduler, a trainer, the last loss and outputs refer to its parameters too. empty_cache does nothing while a reference is alive.",
		claims: map[string]string{
			"run":  "Allocated between steps went up {count} by about {step}, from {from} to {to}, and stays: what was there before is still referenced",
			"once": "Since a line announced a new stage allocated between steps stands at {to} instead of {from}, about twice as high: if what was there before is not needed any more, it is still referenced",
		},
		Advice: []Advice{
			{Do: "Drop everything that refers to the old model before the new one is built.", figures: "That is about {step} each time.", Code: "del model, optimizer, scheduler, loss, outputs; gc.collect(); torch.cuda.empty_cache()"},
			{Do: "Build each stage in a function of its own, so that its names go out of scope."},
			{Do: "Run each trial in a process of its own: its end frees everything.", Code: "torch.multiprocessing.get_context('spawn').Process(target=trial)", Cost: "start-up time a trial."},
		},
	}
}

func recoveryEntry() Entry {
	return Entry{
		ID: OOMRecovery, Group: groupCode, Place: 34, Name: "Memory held since a caught failure",
		Meaning: "The job caught an out-of-memory error and went on, and allocated never came back to its level: the exception keeps the frames of the failed step alive, and with them its tensors.",
		Needs:   "allocated before and after a failure that the job survived",
		Confirm: "Leaving the except block (or restarting the kernel) brings allocated back.",
		Refute:  "The level was rising before.",
		claims:  map[string]string{"run": "Since the caught failure allocated stays {rise} higher between steps: {before} before, {after} after"},
		Advice: []Advice{
			{Do: "Retry outside the except block, so that the exception is gone first.", Code: "oom = False\ntry: step(x)\nexcept torch.OutOfMemoryError: oom = True\nif oom: opt.zero_grad(set_to_none=True); step(half(x))"},
			{Do: "Set gradients to None before the retry; a failed backward pass leaves some."},
			{Do: "In a notebook the last traceback is kept by the kernel: restart it.", Limits: "be cured by empty_cache or gc.collect() inside the except block."},
		},
	}
}
