// Package catalog holds the words of the advisor: for each cause what it means,
// the sentence that states it, what would confirm or refute it, and what to do,
// in order of effort. The screen, the JSON and docs/findings.md all take their
// text from here. It must not know how a cause is recognised.
package catalog

import (
	"slices"
	"strings"
)

// ID names a cause. The list is closed: scripts rely on the names.
type ID string

// The causes.
const (
	Leak                    ID = "leak"
	ReservedGrowth          ID = "reserved-growth"
	NonTorchLeak            ID = "non-torch-leak"
	ForecastFull            ID = "forecast-full"
	HeadroomLow             ID = "headroom-low"
	AllocRetries            ID = "alloc-retries"
	TransientPeak           ID = "transient-peak"
	LengthSpike             ID = "length-spike"
	ActivationsTooLarge     ID = "activations-too-large"
	FP32                    ID = "fp32-instead-of-low-precision"
	ModelTooBigAtLoad       ID = "model-too-big-at-load"
	OptimizerStateFirstStep ID = "optimizer-state-first-step"
	LogitsLargeVocab        ID = "logits-large-vocab"
	KVCacheGrowth           ID = "kv-cache-growth"
	CheckpointLoadDoubling  ID = "checkpoint-load-doubling"
	MemoryFractionLimit     ID = "memory-fraction-limit"
	Capacity                ID = "capacity"
	Fragmentation           ID = "fragmentation"
	CacheRetention          ID = "cache-retention"
	PrivatePools            ID = "private-pools"
	EvalWithoutNoGrad       ID = "eval-without-no-grad"
	EvalPredictions         ID = "eval-predictions-on-gpu"
	SecondStage             ID = "second-stage-not-released"
	OOMRecovery             ID = "oom-recovery-holds-memory"
	OtherProcess            ID = "other-process"
	ZombieProcess           ID = "zombie-process"
	OtherLibrary            ID = "other-library"
	NonTorchMemory          ID = "non-torch-memory"
	LibraryWorkspace        ID = "library-workspace"
	NCCLOverhead            ID = "nccl-overhead"
	DDPRankContexts         ID = "ddp-rank-contexts-on-gpu0"
	DataloaderWorkers       ID = "dataloader-workers-touch-cuda"
	RankImbalance           ID = "rank-imbalance"
	HostRAM                 ID = "host-ram"
	DevShmTooSmall          ID = "dev-shm-too-small"
	ContainerLimit          ID = "container-limit"
	AllocConf               ID = "alloc-conf"
	GPUError                ID = "gpu-error"
	SpillingToHost          ID = "spilling-to-host"
	DriverOrAllocatorBug    ID = "driver-or-allocator-bug"
)

// Tag is a circumstance of the job that some advice depends on.
type Tag string

// The circumstances.
const (
	ExpandableOn        Tag = "expandable segments are on"
	ExpandableOff       Tag = "expandable segments are not set"
	TooOldForExpandable Tag = "torch is older than 2.1"
	ManyRanks           Tag = "the job has several ranks"
	Capped              Tag = "plenty is free on the card when the cache is flushed"
	NoHolder            Tag = "the error does not say who holds the card"
	NoFigures           Tag = "the error has no figures"
	RoomLeft            Tag = "far more was free than was asked for"
	GrowTogether        Tag = "several processes grow together"
	OneGiant            Tag = "one request is larger than the card"
	LikeCaptures        Tag = "it grows as CUDA graphs do that are captured again and again"
)

// Advice is one thing to do.
type Advice struct {
	Do     string // what to change, in one or two sentences
	Code   string // the exact lines or value; may be empty
	Cost   string // what it costs, mostly in speed; may be empty
	Limits string // what it will not fix; may be empty

	// figures is a sentence more, and exact the code instead, where the figures
	// in them are known: names in braces, as in the sentences of a cause.
	figures, exact string
	needs, not     []Tag
	running        bool // only of use while the process runs
}

// When returns the circumstances that the advice is for, in words; empty when
// it is always for.
func (a Advice) When() string {
	var parts []string
	for _, t := range a.needs {
		parts = append(parts, "only when "+string(t))
	}
	for _, t := range a.not {
		parts = append(parts, "not when "+string(t))
	}
	return strings.Join(parts, ", ")
}

// String returns the advice as one paragraph.
func (a Advice) String() string {
	text := a.Do
	if a.Code != "" {
		text += " Write: " + a.Code + "."
	}
	if a.Cost != "" {
		text += " Cost: " + a.Cost
	}
	if a.Limits != "" {
		text += " It will not: " + a.Limits
	}
	return text
}

// Entry is all that is said about one cause.
type Entry struct {
	ID       ID
	Name     string // in a few words
	Group    string // the heading it stands under
	Place    int    // from first cause (low) to last symptom (high)
	Meaning  string
	Needs    string // what has to be seen to find it
	Confirm  string
	Refute   string
	Folklore string // what is often said and is wrong; may be empty
	Advice   []Advice

	claims map[string]string
	checks []check
}

// check is what more would confirm or refute a cause in some circumstance.
type check struct {
	when            Tag
	confirm, refute string
}

// ChecksFor returns what would confirm and what would refute the cause in the
// circumstances.
func (e Entry) ChecksFor(tags []Tag, words map[string]string) (confirm, refute string) {
	confirm, refute = named(e.Confirm, words), named(e.Refute, words)
	for _, c := range e.checks {
		if slices.Contains(tags, c.when) {
			confirm, refute = confirm+" "+c.confirm, refute+" "+c.refute
		}
	}
	return confirm, refute
}

// Claim returns the sentence of that name with the words filled in. A word that
// is missing stays as its name, which a test rules out.
func (e Entry) Claim(name string, words map[string]string) string {
	text, ok := e.claims[name]
	if !ok {
		return e.Name
	}
	return filled(text, words)
}

// ClaimNames returns the names of the entry's sentences in order.
func (e Entry) ClaimNames() []string {
	names := make([]string, 0, len(e.claims))
	for n := range e.claims {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// with returns the advice with the figures in it that are known.
func (a Advice) with(words map[string]string) Advice {
	if text := filled(a.figures, words); text != "" && !strings.Contains(text, "{") && !strings.Contains(text, "unknown") {
		a.Do += " " + text
	}
	if code := filled(a.exact, words); code != "" && !strings.Contains(code, "{") {
		a.Code = code
	}
	a.Code = named(a.Code, words)
	a.figures, a.exact = "", ""
	return a
}

// named puts the number of the process where PID stands for it, when it is known.
func named(text string, words map[string]string) string {
	if pid := words["pid"]; pid != "" {
		return strings.ReplaceAll(text, "PID", pid)
	}
	return text
}

// AdviceFor returns the advice that fits the circumstances, in order of effort,
// with the figures that are known.
func (e Entry) AdviceFor(tags []Tag, words map[string]string) []Advice {
	var out []Advice
	for _, a := range e.Advice {
		fits := true
		for _, t := range a.needs {
			fits = fits && slices.Contains(tags, t)
		}
		for _, t := range a.not {
			fits = fits && !slices.Contains(tags, t)
		}
		if fits {
			out = append(out, a.with(words))
		}
	}
	return out
}

// Afterwards returns the advice that is of use still when the process has ended,
// or when what was seen is not of now.
func Afterwards(all []Advice) []Advice {
	return slices.DeleteFunc(slices.Clone(all), func(a Advice) bool { return a.running })
}

// All returns every entry, in the order in which people should read them.
func All() []Entry {
	return slices.Concat(growth(), doesNotFit(), idle(), code(), holders(), around())
}

// entries is the catalogue by name.
var entries = func() map[ID]Entry {
	m := map[ID]Entry{}
	for _, e := range All() {
		m[e.ID] = e
	}
	return m
}()

// Get returns the entry of a cause. One that is not in the catalogue comes back
// with its ID as its name, which a test rules out.
func Get(id ID) Entry {
	if e, ok := entries[id]; ok {
		return e
	}
	return Entry{ID: id, Name: string(id)}
}

// Find returns the entry of that name and whether there is one.
func Find(name string) (Entry, bool) {
	e, ok := entries[ID(name)]
	return e, ok
}
