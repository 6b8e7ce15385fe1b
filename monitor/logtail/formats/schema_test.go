package formats_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor/logtail/formats"
)

// shape is the part of JSON Schema that says which keys an object has.
type shape struct {
	Properties map[string]shape `json:"properties"`
	Required   []string         `json:"required"`
	Defs       map[string]shape `json:"$defs"`
}

func TestTheSchemaHasTheKeysOfAReading(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "schema", "parse.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s shape
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		schema shape
		object any
	}{"reading": {s, formats.JSONReading{}}, "oom": {s.Defs["oom"], formats.JSONOOM{}}, "process": {s.Defs["process"], formats.JSONProcess{}}} {
		var all, always []string
		kind := reflect.TypeOf(c.object)
		for i := range kind.NumField() {
			key, rest, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			all = append(all, key)
			if rest != "omitempty" {
				always = append(always, key)
			}
		}
		slices.Sort(all)
		slices.Sort(always)
		if diff := cmp.Diff(all, slices.Sorted(maps.Keys(c.schema.Properties))); diff != "" {
			t.Errorf("%s: -written +schema\n%s", name, diff)
		}
		if diff := cmp.Diff(always, slices.Sorted(slices.Values(c.schema.Required))); diff != "" {
			t.Errorf("%s, always there: -written +schema\n%s", name, diff)
		}
	}
}
