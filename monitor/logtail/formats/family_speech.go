package formats

// Speech and translation.
var speechFrames = []frame{
	{
		producer: "fairseq", all: []string{"capabilities", "total memory = "},
		labels: map[string]counter{"total memory": counterTotal}, divisor: 1024,
		then: func(p *Parser, d *draft) { p.note.fairseqTotal = d.bytes[counterTotal] },
	},
	{
		// fairseq/trainer.py: capacity minus the peak of allocated since the
		// update before
		producer: "fairseq", any: []string{"gb_free=", "\"gb_free\":"},
		labels: map[string]counter{"free": counterMisc}, divisor: 1024, reset: resetEach,
		then: func(p *Parser, d *draft) {
			if d.has[counterMisc] && p.note.fairseqTotal > d.bytes[counterMisc] {
				d.set(counterMaxA, p.note.fairseqTotal-d.bytes[counterMisc])
			}
		},
	},
	{
		producer: "icefall", all: []string{"Maximum memory allocated so far is"},
		divisor: 1000, reset: resetNever, then: icefallRank,
	},
	{
		producer: "ESPnet2", all: []string{"gpu_max_cached_mem_GB="},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "RETURNN", all: []string{"mem_usage:cuda"},
		labels:  map[string]counter{"cuda": counterMaxA},
		divisor: 1024, reset: resetNever,
	},
}

// icefallRank reads "(0/4)": rank and how many there are.
func icefallRank(p *Parser, _ *draft) {
	for i := 0; i+4 < len(p.toks); i++ {
		t := p.toks[i : i+5]
		if isMark(p.text, t[0], "(") && t[1].kind == kindNumber && t[1].whole && isMark(p.text, t[2], "/") &&
			t[3].kind == kindNumber && t[3].whole && isMark(p.text, t[4], ")") && t[1].value < t[3].value {
			p.setRank(&p.lineplace, int(t[1].value))
			return
		}
	}
}
