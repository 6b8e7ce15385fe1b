package record

import (
	"encoding/json"
	"errors"
	"fmt"
)

// jsonError says where in a row a value is of another kind than it must be, by
// its key: the names of this program's types mean nothing to a reader.
func jsonError(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	want := wrong.Type.String()
	switch wrong.Type.Kind().String() {
	case "int", "int64", "uint64", "float64":
		want = "a number"
	case "string":
		want = "a text"
	case "slice":
		want = "a list"
	case "struct", "map":
		want = "an object"
	case "bool":
		want = "true or false"
	}
	if wrong.Field == "" {
		return fmt.Errorf("it is a JSON %s and must be %s", wrong.Value, want)
	}
	return fmt.Errorf("key %q: it is a JSON %s and must be %s", wrong.Field, wrong.Value, want)
}
