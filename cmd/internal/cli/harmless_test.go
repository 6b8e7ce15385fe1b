package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestJSONForATerminalSaysTheSameWithoutWhatATerminalObeys(t *testing.T) {
	bad := "C1\u0085\u009b2J DEL\x7f bidi\u202e\u2066\u200f\u061c zero\u200b\ufeff\u00ad line\u2028 tag\U000e0041 esc\x1b[2J é 漢 😀 \xff"
	for _, indent := range []string{"", "  "} {
		var plain, out bytes.Buffer
		for _, w := range []*json.Encoder{json.NewEncoder(&plain), json.NewEncoder(harmless{&out})} {
			w.SetEscapeHTML(false)
			w.SetIndent("", indent)
			if err := w.Encode(map[string]any{"name": bad, bad: []any{1, nil, "x"}}); err != nil {
				t.Fatal(err)
			}
		}
		if i := strings.IndexFunc(out.String(), func(r rune) bool {
			return r != '\n' && (r == 0x7f || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp))
		}); i >= 0 {
			t.Errorf("%q at %d", out.String(), i)
		}
		var want, got any
		if err := json.Unmarshal(plain.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
		first, _ := json.Marshal(want)
		second, _ := json.Marshal(got)
		if !bytes.Equal(first, second) {
			t.Errorf("\n%s\n%s", first, second)
		}
		for _, kept := range []string{"é", "漢", "😀"} {
			if !strings.Contains(out.String(), kept) {
				t.Errorf("%s is escaped", kept)
			}
		}
	}
}
