package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/vramscope/vramscope/monitor"
)

// scalar is what a JSON value of a row can be.
type scalar interface {
	int64 | float64 | string | bool | []string
}

// field is a JSON value that may be absent (the zero field), null, or there.
type field[T scalar] struct {
	value T
	is    presence
}

type presence uint8

const (
	absent presence = iota
	null
	present
	unfit // there, and not a value this field can have
)

// IsZero tells encoding/json (omitzero) to leave the key out.
func (f field[T]) IsZero() bool { return f.is == absent }

// MarshalJSON writes null unless there is a value.
func (f field[T]) MarshalJSON() ([]byte, error) {
	if f.is != present {
		return []byte("null"), nil
	}
	if text, ok := any(f.value).(string); ok {
		return marshal(text)
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON reads a value. One of another type makes the field unfit, not
// the line an error: a figure that cannot be used is unknown.
func (f *field[T]) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		f.is = null
		return nil
	}
	f.is = present
	var err error
	switch v := any(&f.value).(type) {
	case *int64:
		*v, err = parseInt(data)
	case *float64:
		*v, err = parseFloat(data)
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			err = fmt.Errorf("%s is no number", data)
		}
	case *string:
		var simple bool
		if *v, simple = simpleText(data); !simple {
			err = json.Unmarshal(data, v)
		}
	default:
		err = json.Unmarshal(data, &f.value)
	}
	if err != nil {
		*f = field[T]{is: unfit}
	}
	return nil
}

// parseInt reads a whole number, also one written as 1.5e9 or "3" (ranks come
// from the environment).
func parseInt(data []byte) (int64, error) {
	if v, fraction, ok := shortDecimal(data); ok && fraction == 0 {
		return v, nil
	}
	text := unquoted(data)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is no number: %w", data, err)
	}
	if v != math.Trunc(v) || math.Abs(v) > 1<<62 {
		return 0, fmt.Errorf("%s is no whole number", data)
	}
	return int64(v), nil
}

// parseFloat reads a number, also one written as a text.
func parseFloat(data []byte) (float64, error) {
	if v, fraction, ok := shortDecimal(data); ok {
		// Both numbers are exact, so their quotient is the nearest there is.
		return float64(v) / powersOfTen()[fraction], nil
	}
	return strconv.ParseFloat(unquoted(data), 64)
}

// shortDigits is how many digits a number may have to be exact as a float64.
const shortDigits = 15

func powersOfTen() *[shortDigits + 1]float64 {
	return &[...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
}

// shortDecimal reads a decimal number of at most 15 digits and no sign, as
// nearly all are: its digits, and how many of them stand after the point.
func shortDecimal(data []byte) (digits int64, fraction int, ok bool) {
	if len(data) == 0 || len(data) > shortDigits {
		return 0, 0, false
	}
	point := -1
	for i, c := range data {
		switch {
		case isDigit(c):
			digits = 10*digits + int64(c-'0')
		case c == '.' && point < 0 && i > 0 && i < len(data)-1:
			point = i
		default:
			return 0, 0, false
		}
	}
	if point >= 0 {
		fraction = len(data) - 1 - point
	}
	return digits, fraction, true
}

func unquoted(data []byte) string { return string(bytes.Trim(data, `"`)) }

// style says how unknown values are written.
type style uint8

const (
	lean style = iota // in a recording: keys of the contract as null, others left out
	full              // in `once --json`: every key is there
)

// figure writes a reading of the contract: null when unknown, in both styles.
func figure[T scalar](r monitor.Reading[T]) field[T] {
	v, ok := r.Get()
	if number, isReal := any(v).(float64); isReal && (math.IsNaN(number) || math.IsInf(number, 0)) {
		ok = false
	}
	if !ok {
		return field[T]{is: null}
	}
	return field[T]{value: v, is: present}
}

// more writes a reading beyond the contract: left out of a recording when it
// is unknown.
func (s style) more(known bool) bool { return known || s == full }

func extra[T scalar](s style, r monitor.Reading[T]) field[T] {
	if !s.more(r.Known()) {
		return field[T]{}
	}
	return figure(r)
}

// word writes a text, left out when it is empty.
func word(s style, text string) field[string] {
	if text == "" {
		if s == full {
			return field[string]{is: null}
		}
		return field[string]{}
	}
	return field[string]{value: text, is: present}
}

func set[T scalar](v T) field[T] { return field[T]{value: v, is: present} }

// reading turns a field into a reading; why is the reason written beside it.
func (f field[T]) reading(why string) monitor.Reading[T] {
	switch f.is {
	case present:
		return monitor.Known(f.value)
	case null:
		if why == "" {
			why = "it was unknown when the recording was made"
		}
		return monitor.Unknown[T](monitor.NotAvailable, why)
	case unfit:
		return monitor.Unknown[T](monitor.Failed, "the recording holds no usable value here")
	case absent:
	}
	return monitor.Unknown[T](monitor.NotRead, "it is not in the recording")
}

// maxAmount is the largest byte count or counter that is believed: 4 PiB.
const maxAmount = int64(4) << 50

// amount turns a field into a reading that cannot be negative.
func amount(f field[int64], why string) monitor.Reading[int64] {
	if f.is == present && (f.value < 0 || f.value > maxAmount) {
		f = field[int64]{is: unfit}
	}
	return f.reading(why)
}

// The largest figures of a device that are believed: the counters of the chip
// may exceed their peak a little by rounding.
const (
	maxPercent = 110
	maxCelsius = 250
	maxWatts   = 100_000
	maxMHz     = 100_000
)

// upTo turns a field into a reading from zero to the largest that is believed.
func upTo(most float64, f field[float64], why string) monitor.Reading[float64] {
	return between(0, most, f, why)
}

func between(least, most float64, f field[float64], why string) monitor.Reading[float64] {
	if f.is == present && !(f.value >= least && f.value <= most) {
		f = field[float64]{is: unfit}
	}
	return f.reading(why)
}

func wholeOf(f field[int64]) monitor.Reading[int] {
	if f.is == present && (f.value < math.MinInt32 || f.value > math.MaxInt32) {
		f = field[int64]{is: unfit}
	}
	return monitor.Map(f.reading(""), func(v int64) int { return int(v) })
}

func wide(r monitor.Reading[int]) monitor.Reading[int64] {
	return monitor.Map(r, func(v int) int64 { return int64(v) })
}

// marshal is json.Marshal without the escapes that HTML needs and people
// reading a recording do not.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
