package doctor

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// shape is the part of JSON Schema that says which keys an object has.
type shape struct {
	Properties map[string]shape `json:"properties"`
	Required   []string         `json:"required"`
	Items      *shape           `json:"items"`
	Enum       []string         `json:"enum"`
	Defs       map[string]shape `json:"$defs"`
}

func keysOf(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func TestTheSchemaHasTheKeysOfTheReport(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/schema/doctor.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema shape
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	f := healthy()
	f.Sample.Processes = []monitor.Process{{PID: 7}}
	f.Jobs = []JobFacts{{PID: 7}}
	var b bytes.Buffer
	if err := Judge(f).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal(b.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	first := func(key string) map[string]any { return report[key].([]any)[0].(map[string]any) }
	job := schema.Properties["jobs"].Items
	check := schema.Defs["check"]
	for name, c := range map[string]struct {
		schema shape
		object map[string]any
	}{"report": {schema, report}, "check": {check, first("checks")}, "job": {*job, first("jobs")}} {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(c.schema.Properties)), keysOf(c.object)); diff != "" {
			t.Errorf("%s: keys of the schema and of the report: %s", name, diff)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.schema.Required)), keysOf(c.object)); diff != "" {
			t.Errorf("%s: required keys: %s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{string(OK), string(Partial), string(Unavailable)}, check.Properties["state"].Enum); diff != "" {
		t.Error(diff)
	}
}
