package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// schema is the part of JSON Schema that ours use.
type schema struct {
	Type       any                `json:"type"`
	Const      any                `json:"const"`
	Enum       []any              `json:"enum"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Defs       map[string]*schema `json:"$defs"`
}

func readSchema(t *testing.T, name string) *schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "schema", name))
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return &s
}

// check returns what is wrong with a value; a key the schema does not have is.
func (s *schema) check(where string, v any) []string {
	var wrong []string
	if s.Const != nil && s.Const != v {
		wrong = append(wrong, fmt.Sprintf("%s is %v, not %v", where, v, s.Const))
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		wrong = append(wrong, fmt.Sprintf("%s is %v, none of %v", where, v, s.Enum))
	}
	if s.Type != nil && !slices.ContainsFunc(types(s.Type), func(t string) bool { return fits(t, v) }) {
		wrong = append(wrong, fmt.Sprintf("%s is %T, not %v", where, v, s.Type))
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			wrong = append(wrong, s.Items.check(fmt.Sprintf("%s[%d]", where, i), item)...)
		}
	case map[string]any:
		if s.Properties == nil {
			return wrong
		}
		for _, key := range s.Required {
			if _, ok := v[key]; !ok {
				wrong = append(wrong, where+" lacks "+key)
			}
		}
		for key, item := range v {
			if s.Properties[key] == nil {
				wrong = append(wrong, where+" has "+key+", which the schema has not")
				continue
			}
			wrong = append(wrong, s.Properties[key].check(where+"."+key, item)...)
		}
	}
	return wrong
}

func types(t any) []string {
	if one, ok := t.(string); ok {
		return []string{one}
	}
	var out []string
	for _, one := range t.([]any) {
		out = append(out, one.(string))
	}
	return out
}

func fits(kind string, v any) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	}
	return false
}

// keys lists the JSON keys of a row, those of embedded rows included.
func keys(row reflect.Type) []string {
	var out []string
	for i := range row.NumField() {
		f := row.Field(i)
		if f.Anonymous {
			out = append(out, keys(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func properties(s *schema) []string {
	var out []string
	for key := range s.Properties {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

func TestTheSchemasNameEveryKey(t *testing.T) {
	once, rec := readSchema(t, "once.schema.json"), readSchema(t, "recording.schema.json")
	in := func(s *schema, key string) *schema { return s.Properties[key].Items }
	sample := rec.Defs["sample"]
	for _, c := range []struct {
		name string
		row  any
		s    *schema
	}{
		{"once", onceObject{}, once}, {"once gpu", gpuRow{}, in(once, "gpus")}, {"once proc", procRow{}, in(once, "procs")},
		{"once torch", torchRow{}, in(once, "torch")}, {"once source", sourceRow{}, in(once, "sources")},
		{"header", headerRow{}, rec.Defs["header"]}, {"header gpu", headerGPU{}, in(rec.Defs["header"], "gpus")},
		{"sample", sampleRow{}, sample}, {"sample gpu", gpuRow{}, in(sample, "gpus")}, {"sample proc", procRow{}, in(sample, "procs")},
		{"sample torch", torchRow{}, in(sample, "torch")}, {"sample host", hostRow{}, in(sample, "host")}, {"sample source", sourceRow{}, in(sample, "sources")},
		{"log", logRow{}, rec.Defs["log"]}, {"mark", markRow{}, rec.Defs["mark"]}, {"proc", factsRow{}, rec.Defs["proc"]},
	} {
		if diff := cmp.Diff(keys(reflect.TypeOf(c.row)), properties(c.s)); diff != "" {
			t.Errorf("%s: keys of the row and of the schema differ: %s", c.name, diff)
		}
	}
}

func TestOnceAndRecordingsFitTheirSchemas(t *testing.T) {
	once, rec := readSchema(t, "once.schema.json"), readSchema(t, "recording.schema.json")
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 77))
		s := random(rng, start)
		var out bytes.Buffer
		if err := EncodeOnce(&out, s, nil); err != nil {
			t.Fatal(err)
		}
		var object any
		if err := json.Unmarshal(out.Bytes(), &object); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range once.check("once", object) {
			t.Errorf("seed %d: %s", seed, wrong)
		}
		for line := range bytes.Lines(write(t, Options{}, []monitor.Sample{s, random(rng, start.Add(time.Second))})) {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			kind, _ := row["type"].(string)
			for _, wrong := range rec.Defs[kind].check(kind, row) {
				t.Errorf("seed %d: %s", seed, wrong)
			}
		}
	}
}

func TestOnceSaysWhatIsUnknownAndWhy(t *testing.T) {
	s := monitor.Sample{Time: start, GPUs: []monitor.GPU{{Index: 0, State: monitor.StateOK,
		Memory: monitor.DeviceMemory{UsedBytes: monitor.Known[int64](0), FreeBytes: monitor.Unknown[int64](monitor.NotAvailable, "the driver does not tell in this container")}}},
		Processes: []monitor.Process{{PID: 4, Name: "python", User: "ann"}},
		Torch:     []monitor.Allocator{{PID: 4, State: monitor.AllocatorDenied, Reason: "no right", AllocatedBytes: monitor.Known[int64](3)}}}
	var out bytes.Buffer
	if err := EncodeOnce(&out, s, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"used": 0,`, `"free": null,`, `"free": "the driver does not tell in this container"`, `"allocated": null,`,
		`"state": "no-permission"`, `"reason": "no right"`, `"user": "ann"`, `"driver": null`, `"format": 1,`, `"time": "2026-11-30T12:00:00.123456789Z"`, `"sources": []`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the object lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
