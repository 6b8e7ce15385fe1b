package advisor

import (
	"sort"
	"strings"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// allocConf needs the environment of a process: a setting that is misspelt,
// does not exist in that version, contradicts another or has no effect.
func allocConf(s *scene) []*draft {
	var out []*draft
	for i := range s.w.Processes {
		p := &s.w.Processes[i].Process
		if no, ok := p.NoCaching.Get(); ok && no {
			out = append(out, s.confDraft(p, "nocache", words{}, Warning))
		}
		conf, ok := p.AllocConf.Get()
		if !ok || strings.TrimSpace(conf) == "" {
			continue
		}
		for _, f := range confFaults(conf, p.TorchVersion.Or("")) {
			severity := Warning
			if f.mild {
				severity = Info
			}
			out = append(out, s.confDraft(p, f.claim, words{"key": quoted(f.key), "value": quoted(conf), "version": quoted(p.TorchVersion.Or("")), "meant": f.meant}, severity))
		}
	}
	return out
}

func (s *scene) confDraft(p *monitor.Process, claim string, w words, severity Severity) *draft {
	d := s.draft(catalog.AllocConf, claim, w).pid(p.PID).span(0, s.end).grade(severity, Fact)
	for _, h := range s.holders[p.PID] {
		if h.job != nil && h.key == p.Key() {
			d.onGPU(h.gpu)
			d.Rank = h.job.rank
		}
	}
	return d
}

// confFault is one thing that is wrong with a setting.
type confFault struct {
	claim, key, meant string
	mild              bool
}

// confKeys are the options of PYTORCH_ALLOC_CONF (PYTORCH_CUDA_ALLOC_CONF) in
// c10/cuda/CUDAAllocatorConfig.cpp up to torch 2.14.
var confKeys = []string{"backend", "max_split_size_mb", "max_non_split_rounding_mb", "garbage_collection_threshold",
	"roundup_power2_divisions", "expandable_segments", "release_lock_on_cudamalloc", "pinned_use_cuda_host_register",
	"pinned_num_register_threads", "pinned_use_background_threads", "pinned_reserve_segment_size_mb",
	"graph_capture_record_stream_reuse", "per_process_memory_fraction", "pinned_use_hip_host_register", "release_lock_on_hipmalloc", "throw_on_cudamalloc_oom"}

func confFaults(conf, version string) []confFault {
	settings := confSettings(conf)
	var out []confFault
	for _, key := range sortedKeys(settings) {
		if meant := meantKey(key); meant == "" {
			out = append(out, confFault{claim: "unknown", key: key})
		} else if meant != key {
			out = append(out, confFault{claim: "misspelt", key: key, meant: meant})
		}
	}
	expandable := strings.EqualFold(settings["expandable_segments"], "true")
	_, split := settings["max_split_size_mb"]
	switch {
	case expandable && split:
		out = append(out, confFault{claim: "both"})
	case expandable && olderThan(version, 2, 1):
		out = append(out, confFault{claim: "tooold"})
	}
	if strings.EqualFold(settings["backend"], "cudamallocasync") && len(settings) > 1 {
		out = append(out, confFault{claim: "async", mild: true})
	}
	if strings.EqualFold(settings["backend"], "cudamallocasync") && expandable {
		out = append(out, confFault{claim: "asyncexpandable"})
	}
	return out
}

// confSettings splits "a:1,b:[x:2,y:3]" at its outer commas.
func confSettings(conf string) map[string]string {
	out := map[string]string{}
	depth, start := 0, 0
	take := func(piece string) {
		key, value, ok := strings.Cut(strings.TrimSpace(piece), ":")
		if ok && len(out) < 64 {
			out[strings.TrimSpace(key)] = strings.TrimSpace(value)
		} else if p := strings.TrimSpace(piece); p != "" && len(out) < 64 {
			out[p] = ""
		}
	}
	for i := range len(conf) {
		switch conf[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth <= 0 {
				take(conf[start:i])
				start = i + 1
			}
		}
	}
	take(conf[start:])
	return out
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// meantKey returns the option that a key is, or is a misspelling of; "" for
// neither.
func meantKey(key string) string {
	best, at := "", 4
	for _, k := range confKeys {
		if k == key {
			return k
		}
		if d := editDistance(strings.ToLower(strings.ReplaceAll(key, "-", "_")), k); d < at {
			best, at = k, d
		}
	}
	return best
}

// editDistance counts insertions, deletions and changes between two short
// words.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// olderThan reports whether a version is known and lower than major.minor.
func olderThan(version string, major, minor int) bool {
	a, b, ok := versionOf(version)
	return ok && (a < major || a == major && b < minor)
}

func versionOf(version string) (major, minor int, ok bool) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, ok1 := leadingInt(parts[0])
	minor, ok2 := leadingInt(parts[1])
	return major, minor, ok1 && ok2
}

func leadingInt(s string) (int, bool) {
	n, i := 0, 0
	for ; i < len(s) && i < 6 && s[i] >= '0' && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n, i > 0
}

// tags are the circumstances of a job that advice depends on.
func (j *job) tags() []catalog.Tag {
	if j == nil || j.holder == nil {
		return nil
	}
	p := j.process()
	var out []catalog.Tag
	settings := confSettings(p.AllocConf.Or(""))
	switch {
	case strings.EqualFold(settings["expandable_segments"], "true"):
		out = append(out, catalog.ExpandableOn)
	case p.AllocConf.Known():
		out = append(out, catalog.ExpandableOff)
	}
	if v, ok := p.TorchVersion.Get(); ok {
		if olderThan(v, 2, 1) {
			out = append(out, catalog.TooOldForExpandable)
		}
	}
	if w, ok := p.World.Get(); ok && w > 1 {
		out = append(out, catalog.ManyRanks)
	}
	return out
}

func (s *scene) tagsOf(j *job) []catalog.Tag { return j.tags() }
