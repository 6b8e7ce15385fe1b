package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// seconds is a time since a recording's start in nanoseconds, in JSON a
// decimal number of seconds.
type seconds int64

// MarshalJSON writes the shortest decimal number that is exact.
func (s seconds) MarshalJSON() ([]byte, error) { return s.appendTo(nil), nil }

func (s seconds) appendTo(b []byte) []byte {
	ns, sign := int64(s), ""
	if ns < 0 {
		ns, sign = -ns, "-"
	}
	text := fmt.Appendf(b, "%s%d.%09d", sign, ns/1e9, ns%1e9)
	return bytes.TrimSuffix(bytes.TrimRight(text, "0"), []byte{'.'})
}

// maxSpan bounds t: a century.
const maxSpan = 100 * 365 * 24 * 3600

// UnmarshalJSON reads a decimal number of seconds of at most a century.
func (s *seconds) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(string(data), 64)
	if err != nil {
		return fmt.Errorf("t is %.40q, not a number of seconds", data)
	}
	if math.Abs(v) > maxSpan {
		return fmt.Errorf("t is %.40s seconds, more than a century", data)
	}
	whole, fraction, _ := strings.Cut(string(data), ".")
	if len(fraction) > 9 || strings.ContainsAny(string(data), "eE") {
		*s = seconds(math.Round(v * 1e9))
		return nil
	}
	w, err1 := strconv.ParseInt(whole, 10, 64)
	f, err2 := strconv.ParseInt(fraction+strings.Repeat("0", 9-len(fraction)), 10, 64)
	if err1 != nil || err2 != nil {
		*s = seconds(math.Round(v * 1e9))
		return nil
	}
	if strings.HasPrefix(whole, "-") {
		f = -f
	}
	*s = seconds(w*1e9 + f)
	return nil
}

// containerField is where a process runs, "runtime:id" in JSON. An object with
// the keys runtime and id is read too.
type containerField struct{ runtime, id string }

// IsZero tells encoding/json to leave the key out.
func (c containerField) IsZero() bool { return c == containerField{} }

// MarshalJSON writes "runtime:id", or null outside any container.
func (c containerField) MarshalJSON() ([]byte, error) {
	if c.runtime == "" || c.runtime == "-" {
		return []byte("null"), nil
	}
	if c.id == "" {
		return marshal(c.runtime)
	}
	return marshal(c.runtime + ":" + c.id)
}

// UnmarshalJSON reads a text or an object; anything else is no container.
func (c *containerField) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		c.runtime, c.id, _ = strings.Cut(text, ":")
		return nil
	}
	var object struct{ Runtime, ID string }
	if bytes.HasPrefix(data, []byte("{")) && json.Unmarshal(data, &object) == nil {
		c.runtime, c.id = object.Runtime, object.ID
	}
	return nil
}

// ageMS is how much older than a sample a reading is, in milliseconds to the
// microsecond: figures that move are compared with others of the same moment.
// It is absent when it is of the sample's own moment or its time is not known.
func ageMS(s style, sampled, read time.Time) field[float64] {
	if read.IsZero() {
		if s == full {
			return field[float64]{is: null}
		}
		return field[float64]{}
	}
	us := max(sampled.Sub(read).Microseconds(), 0)
	if us == 0 && s == lean {
		return field[float64]{}
	}
	return set(float64(us) / 1000)
}

// readAt undoes ageMS. Without an age the reading is of the sample's moment.
func readAt(sampled time.Time, age field[float64]) time.Time {
	if age.is != present || !(age.value >= 0 && age.value <= maxSpan*1000) {
		return sampled
	}
	return sampled.Add(-time.Duration(math.Round(age.value*1000)) * time.Microsecond)
}
