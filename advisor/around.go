package advisor

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

const freeMetric = history.Free

// hostOfLimit is the share of a container's memory limit from which on the
// kernel is about to act.
const hostOfLimit = 0.9

// knownErrors needs the raw lines: texts that name a cause outside the three
// layers.
func knownErrors(s *scene) []*draft {
	seen := map[trouble]bool{}
	var out []*draft
	for _, m := range s.text.troubles {
		if seen[m.kind] {
			continue
		}
		seen[m.kind] = true
		var d *draft
		switch m.kind {
		case troubleShm:
			d = s.draft(catalog.DevShmTooSmall, "text", words{}).grade(Critical, Fact)
		case troubleKilled:
			d = s.draft(catalog.HostRAM, "killed", words{}).grade(Critical, Likely)
		case troubleHostAlloc:
			d = s.draft(catalog.HostRAM, "alloc", words{}).grade(Critical, Fact)
		case troublePinned:
			d = s.draft(catalog.HostRAM, "pinned", words{}).grade(Warning, Possible)
		case troubleCgroup:
			d = s.draft(catalog.ContainerLimit, "text", words{}).grade(Critical, Fact)
		case troubleNCCL:
			if slices.ContainsFunc(s.ooms, func(o oom) bool { return o.cause == "NCCL" }) {
				continue
			}
			d = s.ncclFailed()
		case troubleXid, troubleECC:
			d = s.draft(catalog.GPUError, "text", words{"text": quoted(m.text)}).grade(Critical, Fact)
		case noTrouble:
			continue
		}
		if m.pid != 0 {
			d.pid(m.pid)
		}
		out = append(out, d.span(m.t, m.t))
	}
	return out
}

// quoted returns a piece of outside text that is fit for a sentence.
func quoted(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if r := []rune(clean); len(r) > 80 {
		clean = string(r[:79]) + "…"
	}
	return strings.TrimSpace(clean)
}

// ncclFailed adds what the figures say about the cache at that time.
func (s *scene) ncclFailed() *draft {
	d := s.draft(catalog.NCCLOverhead, "text", words{}).grade(Critical, Likely)
	for _, j := range s.jobs {
		r, ok1 := j.reserved().end()
		a, ok2 := j.alloc().end()
		if ok1 && ok2 {
			return d.on(j).bytes("reserved by torch", r).bytes("idle in the cache", r-a)
		}
	}
	return d
}

// hostMemory needs the limit of a container and the resident sets in it.
func hostMemory(s *scene) []*draft {
	type box struct {
		limit, used float64
		pid         int
		worst       float64
	}
	boxes := map[string]*box{}
	for i := range s.w.Latest.Processes {
		p := &s.w.Latest.Processes[i]
		limit, ok1 := p.Container.LimitBytes.Get()
		rss, ok2 := p.HostBytes.Get()
		if !ok1 || !ok2 || limit <= 0 {
			continue
		}
		b := boxes[p.Container.ID]
		if b == nil {
			b = &box{limit: float64(limit)}
			boxes[p.Container.ID] = b
		}
		b.used += float64(rss)
		if float64(rss) > b.worst {
			b.worst, b.pid = float64(rss), p.PID
		}
	}
	var ids []string
	for id := range boxes {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var out []*draft
	for _, id := range ids {
		b := boxes[id]
		if b.used < hostOfLimit*b.limit {
			continue
		}
		w := words{"used": size(b.used), "limit": size(b.limit), "share": percent(b.used / b.limit)}
		d := s.draft(catalog.ContainerLimit, "run", w).pid(b.pid).span(s.end, s.end).grade(Warning, Likely)
		out = append(out, d.bytes("resident memory in the container", b.used).bytes("limit of the container", b.limit))
	}
	return out
}

// gpuErrors needs the error counters of the driver.
func gpuErrors(s *scene) []*draft {
	var out []*draft
	for _, g := range s.gpus {
		e := g.facts.ECC
		claim := ""
		severity := Warning
		w := words{"gpu": number(g.index)}
		switch {
		case e.RowRemapFailure.Or(false):
			claim, severity = "remapfailed", Critical
		case e.UncorrectedCount.Or(0) > 0:
			claim, w["count"] = "uncorrected", several(int(e.UncorrectedCount.Or(0)), "error", "errors")
		case e.PendingRowRemap.Or(false):
			claim = "remap"
		default:
			if hot := throttled(g.facts.Throttle.Or(nil)); hot != "" {
				claim, severity, w["reason"] = "throttle", Info, quoted(hot)
			}
		}
		if claim == "" {
			continue
		}
		d := s.draft(catalog.GPUError, claim, w).onGPU(g).span(s.end, s.end).grade(severity, Fact)
		if n, ok := e.UncorrectedCount.Get(); ok {
			d.figure("uncorrected errors since the driver was loaded", float64(n), Count)
		}
		out = append(out, d)
	}
	return out
}

// throttled returns a throttle reason that is no normal one.
func throttled(reasons []string) string {
	for _, r := range reasons {
		low := strings.ToLower(r)
		if strings.Contains(low, "thermal") || strings.Contains(low, "hw slowdown") || strings.Contains(low, "hw_slowdown") ||
			strings.Contains(low, "hardware slowdown") || strings.Contains(low, "power brake") || strings.Contains(low, "power_brake") {
			return r
		}
	}
	return ""
}

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
	for _, j := range s.jobs {
		if j.holder != nil && j.key == p.Key() {
			d.onGPU(j.gpu)
			d.Rank = j.rank
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

// kvServers are servers that take a planned share of the card for their cache.
func kvServers(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if j.holder == nil || j.total == 0 {
			continue
		}
		p := j.process()
		text := strings.ToLower(p.Command + " " + p.Name)
		server := ""
		for _, name := range []string{"vllm", "sglang", "lmdeploy", "text-generation", "tgi", "trtllm"} {
			if strings.Contains(text, name) {
				server = name
				break
			}
		}
		used, ok := j.used()
		if server == "" || !ok || used < 0.5*j.total {
			continue
		}
		k := j.track(history.Used)
		w := words{"server": server, "used": size(used), "share": percent(used / j.total)}
		d := s.draft(catalog.KVCacheGrowth, "server", w).on(j).span(k.t[0], k.t[k.len()-1]).grade(Info, Likely)
		out = append(out, d.bytes("used by the server", used))
	}
	return out
}

// forecast needs a cause that grows; it says when the card is full. It is
// derived from the findings so far, since growth without a cause that was seen
// is loading as often as not.
func forecast(s *scene, found []*draft) []*draft {
	var out []*draft
	for _, f := range found {
		switch f.ID {
		case catalog.Leak, catalog.ReservedGrowth, catalog.NonTorchLeak:
		default:
			continue
		}
		if f.Severity == Info || f.GPU == nil || f.Line.Metric == "" {
			continue
		}
		g := s.gpu(f.GPUID)
		slope := (f.Line.ToBytes - f.Line.FromBytes) / f.To.Sub(f.From).Seconds()
		if g == nil || !(slope > 0) || s.failedOn(g) || f.To.Before(s.endTime().Add(-f.To.Sub(f.From)/4)) {
			continue
		}
		free := g.track(freeMetric)
		if free.len() == 0 {
			continue
		}
		left := quantile(free.last[max(0, free.len()-20):], 0.1)
		low, high := f.Line.SlopeLow, f.Line.SlopeHigh
		if low <= 0 || high <= 0 {
			low, high = 0.7*slope, 1.4*slope
		}
		early, late := left/high, left/low
		if early > 24*3600 || left <= 0 {
			continue
		}
		severity := Warning
		if late <= soonSeconds {
			severity = Critical
		}
		if f.ID == catalog.ReservedGrowth && severity == Critical {
			severity = Warning // torch flushes its cache before it gives up
		}
		severity = min(severity, f.Severity)
		w := words{"early": duration(early), "late": duration(late), "free": size(left), "rate": rate(slope)}
		d := s.draft(catalog.ForecastFull, "run", w).onGPU(g).span(s.seconds(f.From), s.seconds(f.To)).grade(severity, Likely)
		d.PID, d.Rank = f.PID, f.Rank
		d.figure("full in, at the earliest", early, Seconds).figure("full in, at the latest", late, Seconds).bytes("free now", left)
		out = append(out, d)
	}
	return out
}

func (s *scene) failedOn(g *gpu) bool {
	for i := range s.ooms {
		if s.ooms[i].job != nil && s.ooms[i].job.gpu == g {
			return true
		}
	}
	return math.IsNaN(s.end)
}
