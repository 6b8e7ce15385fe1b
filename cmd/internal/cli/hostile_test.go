package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
)

// schema is what matters here of a JSON schema.
type schema struct {
	Type       any               `json:"type"`
	Enum       []any             `json:"enum"`
	Const      any               `json:"const"`
	Format     string            `json:"format"`
	Ref        string            `json:"$ref"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Defs       map[string]schema `json:"$defs"`
}

func (s schema) is(kind string) bool {
	if list, ok := s.Type.([]any); ok {
		return len(list) > 0 && list[0] == kind
	}
	return s.Type == kind
}

// hostile is a text that names its field and does everything that a terminal
// obeys.
func hostile(field string) string {
	return "\x1b]0;" + field + "\x07\x1b[31m" + field + "\u202e\u009b2J\x1b]52;c;cm0=\x1b\\\r\n\x1bPq" + field + "\u200b\x7f"
}

// poison gives an object every text that the schema knows and that is free.
func poison(s schema, object map[string]any) {
	for name, p := range s.Properties {
		switch have, there := object[name]; {
		case p.Enum != nil || p.Const != nil || p.Format != "":
		case !there && p.is("string"):
			object[name] = hostile(name)
		case !there && p.is("object"):
			object[name] = map[string]any{"util": hostile(name), hostile(name): hostile(name)}
		case !there && p.is("array") && p.Items != nil && p.Items.is("string"):
			object[name] = []any{hostile(name)}
		case there && p.is("array") && p.Items != nil:
			for _, item := range have.([]any) {
				poison(*p.Items, item.(map[string]any))
			}
		}
	}
}

// hostileRecording is a recording of a job in trouble in which every text is
// hostile.
func hostileRecording(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "schema", "recording.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all schema
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	const gib = 1 << 30
	var b strings.Builder
	write := func(kind string, o object) {
		o["type"] = kind
		poison(all.Defs[kind], o)
		line, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	write("header", object{"format": 1, "started": "2026-11-30T12:00:00Z", "interval_ms": 1000, "gpus": []any{object{"index": 0, "total": 80 * gib}}})
	for i := range 90 {
		if i%30 == 0 {
			write("proc", object{"t": float64(i), "pid": 10, "start": 5, "alloc_conf": ""})
			write("proc", object{"t": float64(i), "pid": 11, "start": 6, "alloc_conf": ""})
			write("mark", object{"t": float64(i)})
			write("log", object{"t": float64(i), "pid": 10, "text": "step 5 loss 0.1 allocated: 20.5 GiB " + hostile("text")})
		}
		used, procs := 30, []any{object{"pid": 10, "gpu": 0, "used": 30 * gib, "start": 5}}
		if i > 40 { // somebody else comes
			used, procs = 76, append(procs, object{"pid": 11, "gpu": 0, "used": 46 * gib, "start": 6})
		}
		write("sample", object{"t": float64(i), "procs": procs,
			"gpus":    []any{object{"index": 0, "used": used * gib, "free": (80 - used) * gib, "util": 50}},
			"torch":   []any{object{"pid": 10, "gpu": 0, "start": 5, "allocated": 20 * gib, "reserved": 28 * gib}},
			"sources": []any{object{"state": "unavailable"}},
		})
	}
	name := filepath.Join(t.TempDir(), "hostile.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestNothingOfARecordingReachesTheTerminalAsAControl(t *testing.T) {
	name := hostileRecording(t)
	for _, args := range [][]string{
		{"advise", name}, {"advise", "--brief", name}, {"advise", "--json", name},
		{"replay", name, "--screen-reader", "--speed", "1000"},
	} {
		var out, errs bytes.Buffer
		code := Main(System{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Now: time.Now})
		said := out.String() + errs.String()
		if code != ExitDone || len(said) < 200 {
			t.Errorf("%v ends with %d and says %q", args, code, said)
		}
		if i := strings.IndexFunc(said, func(r rune) bool {
			return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		}); i >= 0 {
			t.Errorf("%v says %q", args, said[max(0, i-80):min(len(said), i+80)])
		}
	}
}
