package catalog

const groupIdle = "Idle or split"

func idle() []Entry { return []Entry{fragmentationEntry(), retentionEntry(), poolsEntry()} }

func fragmentationEntry() Entry {
	return Entry{
		ID: Fragmentation, Group: groupIdle, Place: 42, Name: "Idle cache in pieces that do not fit",
		Meaning:  "Enough memory is idle in PyTorch's cache, in pieces that cannot serve the request. PyTorch gives back whole idle segments before it fails, so what is left idle at a failure lies in segments that are partly in use.",
		Needs:    "an error text with request, free, allocated and reserved; or the allocator's split figure and its peak",
		Confirm:  "With expandable segments the same run passes. The memory snapshot shows live blocks between free ones.",
		Refute:   "Idle plus free is smaller than the request, or idle is under a tenth of the card: then it is capacity.",
		Folklore: "The hint in the error text proves nothing: it is printed always, also when the setting is on. empty_cache cannot return pieces of a segment in use. max_split_size_mb is the old cure, from before expandable segments; do not set both.",
		claims: map[string]string{
			"oom":      "{idle} of the cache were idle in pieces when a request for {tried} failed: {allocated} live in {reserved} reserved, {room} more to be had",
			"counters": "A request failed with {reserved} reserved although live tensors were at {allocated}",
			"split":    "{split} of the {reserved} reserved ({share} of the card) stay idle in segments that are partly in use",
		},
		Advice: []Advice{
			{not: []Tag{ExpandableOn, TooOldForExpandable}, Do: "Turn on expandable segments, in the environment, before torch is imported.", figures: "Then the {idle} that were idle and the {had} to be had could have served the {asked}.", Code: "PYTORCH_ALLOC_CONF=expandable_segments:True   (before torch 2.9: PYTORCH_CUDA_ALLOC_CONF)", Cost: "none to speak of.", Limits: "help if it is set in the script after torch has started CUDA, or where live tensors fill the card."},
			{needs: []Tag{ExpandableOn}, Do: "Expandable segments are on already. What remains are long-lived tensors between short-lived ones: allocate what stays (weights, state, buffers) first, and drop references before the large request."},
			{needs: []Tag{TooOldForExpandable}, Do: "This torch has no expandable segments (they came with 2.1): keep large blocks from being split.", Code: "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512", Cost: "more calls to the driver."},
			{Do: "Run the largest batch first, and pad to a few fixed sizes, so that blocks fit again.", Cost: "some padding."},
			{Do: "Where the request is one large one, a smaller batch helps as well: it is smaller than the pieces."},
		},
	}
}

func retentionEntry() Entry {
	return Entry{
		ID: CacheRetention, Group: groupIdle, Place: 46, Name: "The cache of a phase that is over",
		Meaning:  "A phase that needed much is over, and PyTorch keeps its memory. For PyTorch itself that is no loss; for anything outside it (NCCL, a renderer, another process) the card looks full.",
		Needs:    "reserved and allocated over both phases",
		Confirm:  "empty_cache() at the boundary lowers reserved and the job runs as before.",
		Refute:   "The large phase comes again and again: then the cache is put to use.",
		Folklore: "Calling empty_cache in every step only makes the job slower.",
		claims: map[string]string{
			"run":     "{idle} ({share} of the card) are idle in the cache: {reserved} reserved, and tensors have needed {allocated} at most for {time}",
			"unsized": "{idle} are idle in the cache: {reserved} reserved, and tensors have needed {allocated} at most since",
		},
		Advice: []Advice{
			{Do: "Empty the cache once, at the boundary between the phases, after deleting what the first one used.", figures: "It gives back up to {idle}.", Code: "del big; gc.collect(); torch.cuda.empty_cache()", Cost: "a fraction of a second, once.", Limits: "cure an out-of-memory error that PyTorch itself raises, nor return segments that are partly in use."},
			{Do: "If another library needs the room (NCCL, vLLM, a renderer), empty the cache just before it asks."},
			{Do: "Run the phases in processes of their own.", Code: "torch.multiprocessing.spawn(first_phase)"},
		},
	}
}

// poolsLine adds up the segments of private pools: memory_snapshot of
// torch/cuda/memory.py names the pool of each, (0, 0) being the common one.
const poolsLine = "sum(s['total_size'] for s in torch.cuda.memory_snapshot() if tuple(s['segment_pool_id']) != (0, 0))"

// capturesAdvice is for growth that may be private pools as well.
func capturesAdvice() Advice {
	return Advice{needs: []Tag{LikeCaptures}, Do: "If the job captures CUDA graphs (torch.cuda.graph, torch.compile with mode='reduce-overhead', a serving engine), look there first: each graph keeps a pool of its own. Capture a few fixed shapes, once.",
		Code: "torch.cuda.graph(g, pool=first_graph.pool())   # graphs that never run at the same time share one pool", Limits: "help where nothing is captured."}
}

func capturesCheck() check {
	return check{when: LikeCaptures, confirm: "It is pools of CUDA graphs if this rises with it: " + poolsLine + ".",
		refute: "It is no pool of a CUDA graph if that stays 0."}
}

func poolsEntry() Entry {
	return Entry{
		ID: PrivatePools, Group: groupIdle, Place: 48, Name: "Private pools of CUDA graphs",
		Meaning: "Each captured CUDA graph keeps a memory pool of its own, which nothing else may use. With a graph for every shape they add up.",
		Needs:   "an error text that names them, or a traceback in a capture, or a recording that carries the allocator's figure of private pools; that figure is not read from a running process, whose counters have totals only",
		Confirm: "Without graphs (eager) the job needs that much less. " + poolsLine + " says how much they hold.",
		Refute:  "There is one graph and its pool is in use.",
		claims: map[string]string{
			"run":     "Private pools of CUDA graphs hold {pools} ({share} of the card)",
			"oom":     "Private pools of CUDA graphs held {pools} when a request for {tried} failed",
			"capture": "It failed while a CUDA graph was captured: a request for {tried} failed with {free} free",
		},
		Advice: []Advice{
			{Do: "Capture fewer shapes: pad inputs to a few fixed sizes.", Code: "torch.compile(mode='reduce-overhead', dynamic=True)"},
			{Do: "Let graphs share one pool.", Code: "pool = torch.cuda.graph_pool_handle(); torch.cuda.graph(g, pool=pool)", Limits: "help if two of them run at the same time."},
			{Do: "Do without graphs.", Code: "vLLM: --enforce-eager; torch.compile without mode='reduce-overhead'", Cost: "launch overhead comes back."},
			{Do: "Leave 1 to 3 GiB of the card for the capture.", Code: "vLLM: --gpu-memory-utilization 0.85"}, //nolint:misspell // the name of the option
		},
	}
}
