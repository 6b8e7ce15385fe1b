package advisor

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

	"github.com/vramscope/vramscope/advisor/catalog"
)

// shape is the part of JSON Schema that says which keys an object has.
type shape struct {
	Properties map[string]shape `json:"properties"`
	Required   []string         `json:"required"`
	Enum       []string         `json:"enum"`
	Defs       map[string]shape `json:"$defs"`
}

// keys returns the keys of an object in JSON, and those that are always there.
func keys(object any) (all, always []string) {
	kind := reflect.TypeOf(object)
	for i := range kind.NumField() {
		name, rest, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		all = append(all, name)
		if rest != "omitempty" {
			always = append(always, name)
		}
	}
	slices.Sort(all)
	slices.Sort(always)
	return all, always
}

func TestTheSchemaHasTheKeysAndTheWordsOfTheFindings(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "docs", "schema", "advise.schema.json"))
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
	}{"report": {s, jsonReport{}}, "finding": {s.Defs["finding"], jsonFinding{}}, "evidence": {s.Defs["evidence"], jsonEvidence{}}, "source": {s.Defs["source"], jsonSource{}}} {
		all, always := keys(c.object)
		if diff := cmp.Diff(all, slices.Sorted(maps.Keys(c.schema.Properties))); diff != "" {
			t.Errorf("%s: -written +schema\n%s", name, diff)
		}
		if diff := cmp.Diff(always, slices.Sorted(slices.Values(c.schema.Required))); diff != "" {
			t.Errorf("%s, always there: -written +schema\n%s", name, diff)
		}
	}
	var ids []string
	for _, e := range catalog.All() {
		ids = append(ids, string(e.ID))
	}
	slices.Sort(ids)
	finding := s.Defs["finding"].Properties
	if diff := cmp.Diff(ids, slices.Sorted(slices.Values(finding["id"].Enum))); diff != "" {
		t.Errorf("ids: -catalogue +schema\n%s", diff)
	}
	if diff := cmp.Diff(severityNames[:], finding["severity"].Enum); diff != "" {
		t.Errorf("severities: %s", diff)
	}
	units := []string{string(Bytes), string(BytesPerSecond), string(BytesPerStep), string(Percent), string(Seconds), string(Count), string(Ratio)}
	if diff := cmp.Diff(units, s.Defs["evidence"].Properties["unit"].Enum); diff != "" {
		t.Errorf("units: %s", diff)
	}
}
