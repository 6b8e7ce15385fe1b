package catalog

import "strings"

// past is how sentences read of a time that is over, as of a recording. A
// sentence that speaks of the past anyway stands in its entry alone.
var past = map[ID]map[string]string{
	Leak: {
		"run":   "Allocated memory rose by {rate} and did not come back: its floor went from {from} to {to} in {time}",
		"steps": "Allocated memory rose by {perstep} a step and did not come back: its floor went from {from} to {to} over {steps} steps",
	},
	ReservedGrowth: {
		"flushed": "Reserved climbed to {to} while tensors never needed more than {need}; the cache was flushed {flushes} and climbed again",
		"level":   "Reserved rose from {from} to {to} in {rises} rises, while allocated stayed at {need}",
	},
	NonTorchLeak: {"run": "The process took {rate} more outside PyTorch: from {from} to {to} in {time}, while reserved stayed flat"},
	ForecastFull: {
		"run":  "At {rate} the card would have been full {early} to {late} after the last sample judged: {free} were free then",
		"many": "{count} processes together took {rate} more, so the card would have been full {early} to {late} after the last sample judged: {free} were free then; it was the growth of {who}",
	},
	HeadroomLow: {
		"run":   "{free} of {total} were free ({share}): there was little room for what came later",
		"cache": "{free} of {total} were free ({share}), but {idle} of PyTorch's cache was never needed at once",
	},
	TransientPeak: {"run": "Allocated jumped {count} times to {peak}, {times} times the {usual} that steps needed otherwise"},
	FP32:          {"run": "The chip was busy ({sm} % of its processors) with fp32 arithmetic ({fp32} %) and its tensor units stood still ({tensor} %)"},
	KVCacheGrowth: {"server": "The server ({server}) took {share} of the card by plan: {used}"},
	CheckpointLoadDoubling: {
		"run":  "Allocated between steps went up by {step} at once, from {from} to {to}, and stayed: about one more copy of the weights",
		"kept": "Allocated doubled from {from} to {to} where a line says that a checkpoint is read, and stayed: what was read was still there beside the weights, it seems",
	},
	Fragmentation: {"split": "{split} of the {reserved} reserved ({share} of the card) stayed idle in segments that were partly in use"},
	CacheRetention: {
		"run":     "{idle} ({share} of the card) were idle in the cache: {reserved} reserved, and tensors needed {allocated} at most for {time}",
		"unsized": "{idle} were idle in the cache: {reserved} reserved, and tensors needed {allocated} at most since",
	},
	PrivatePools: {"run": "Private pools of CUDA graphs held {pools} ({share} of the card)"},
	EvalWithoutNoGrad: {
		"run":      "Allocated climbed from {base} to {top} in evaluation and fell back when it ended ({count}): gradients were kept",
		"unmarked": "Allocated climbed from {base} to {top} over several batches and fell back ({count}), as in an evaluation that keeps gradients",
		"open":     "Allocated climbed from {base} to {top} in {time} of an evaluation that was still running, and none of it came back: gradients may have been kept",
	},
	EvalPredictions: {
		"run":      "Outputs of evaluation stayed on the GPU: allocated climbed from {base} to {top} and fell back when it ended ({count})",
		"unmarked": "Allocated climbed from {base} to {top} over many batches and fell back ({count}), as with outputs that are kept on the GPU",
	},
	SecondStage: {
		"run":  "Allocated between steps went up {count} by about {step}, from {from} to {to}, and stayed: what was there before was still referenced",
		"once": "Since a line announced a new stage allocated between steps stood at {to} instead of {from}, about twice as high: if what was there before was not needed any more, it was still referenced",
	},
	OOMRecovery: {"run": "Since the caught failure allocated stayed {rise} higher between steps: {before} before, {after} after"},
	OtherProcess: {
		"run":      "Process {pid} ({name}) held {held} of this card ({share}); this job (process {job}) held {own}",
		"unlisted": "{held} of this card ({share}) were held by nobody who was listed; the processes listed held {own}",
	},
	ZombieProcess:    {"run": "Process {pid} ({name}) held {held} of this card ({share}) and looked left over from a run that was gone"},
	OtherLibrary:     {"run": "{held} of the card ({share}) were held by this process outside PyTorch, which had reserved {reserved}: {library} ran in it"},
	NonTorchMemory:   {"run": "{held} of the card ({share}) were held by this process outside PyTorch, which had reserved {reserved}"},
	LibraryWorkspace: {"run": "The CUDA context and its libraries took {held} of this card ({share}), outside PyTorch"},
	DDPRankContexts: {
		"one":  "Process {pid} worked on GPU {home} and held {sum} ({share}) on GPU {gpu} as well",
		"many": "{count} whose own GPU was another one held {sum} ({share}) on GPU {gpu}, up to {each} each",
	},
	DataloaderWorkers: {"run": "{count} children of this process held {sum} of the card ({share}), about {each} each: loader workers that had started CUDA"},
	RankImbalance:     {"run": "The fullest of {ranks} ranks used {most} (GPU {gpu}), the emptiest {least} (GPU {other})"},
	ContainerLimit:    {"run": "The container held {used} of the {limit} of host memory that it was allowed ({share})"},
	AllocConf: {
		"both":            "max_split_size_mb and expandable_segments were both set: together they can make reserved climb",
		"tooold":          "expandable_segments was set, and torch {version} does not have it (it came with 2.1)",
		"async":           "The backend cudaMallocAsync was set; the other options beside it have no effect on it",
		"asyncexpandable": "expandable_segments was set beside the backend cudaMallocAsync, which does not know it",
		"nocache":         "PYTORCH_NO_CUDA_MEMORY_CACHING was set: every tensor asked the driver, which is many times slower",
	},
	GPUError: {
		"remapfailed": "GPU {gpu} had no spare memory row left: it has to be replaced",
		"uncorrected": "GPU {gpu} had counted {count} of its memory that could not be corrected",
		"remap":       "GPU {gpu} had a bad memory row to take out of use: it needs a reset",
		"throttle":    "GPU {gpu} ran slower than it could: {reason}",
	},
}

// Told returns the sentence of that name as Claim does, in the past tense when
// what it speaks of is over.
func (e Entry) Told(name string, over bool, words map[string]string) string {
	if text, ok := past[e.ID][name]; ok && over {
		return filled(text, words)
	}
	return e.Claim(name, words)
}

func filled(text string, words map[string]string) string {
	for k, v := range words {
		text = strings.ReplaceAll(text, "{"+k+"}", v)
	}
	return text
}
