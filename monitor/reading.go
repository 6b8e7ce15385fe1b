package monitor

// Code says in one word why a value is not known.
type Code uint8

// The reasons why a value can be missing. The zero Code is NotRead, so that a
// reading nobody filled in says so.
const (
	NotRead       Code = iota // nobody asked for it in this sample
	NotSupported              // this device, driver or kernel does not have it
	NotAvailable              // it exists, but is not given out here (WSL, MIG without the right, some containers)
	NotApplicable             // the question makes no sense for this thing
	NoPermission              // reading it needs a right that this process lacks
	TimedOut                  // the answer did not come in time
	Busy                      // it was changing during every try
	Gone                      // the thing vanished while it was read
	Failed                    // it was asked for and the answer was an error or nonsense
)

var codeNames = [...]string{
	NotRead:       "not read",
	NotSupported:  "not supported",
	NotAvailable:  "not available",
	NotApplicable: "not applicable",
	NoPermission:  "no permission",
	TimedOut:      "timed out",
	Busy:          "busy",
	Gone:          "gone",
	Failed:        "failed",
}

// String returns the code in words.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return "unknown reason"
}

// Reason is why a value is missing: a code to decide by and, where there is
// more to say, a sentence for people.
type Reason struct {
	Code   Code
	Detail string
}

// String returns the sentence, or the code in words when there is none.
func (r Reason) String() string {
	if r.Detail != "" {
		return r.Detail
	}
	return r.Code.String()
}

// Reading is a value or the reason why there is none. The zero Reading is
// unknown because it was not read. No value of T stands for "unknown".
type Reading[T any] struct {
	value T
	known bool
	why   Reason
}

// Known returns a reading that holds v.
func Known[T any](v T) Reading[T] { return Reading[T]{value: v, known: true} }

// Unknown returns a reading without a value. The detail may be empty.
func Unknown[T any](code Code, detail string) Reading[T] {
	return Reading[T]{why: Reason{Code: code, Detail: detail}}
}

// Get returns the value and whether there is one.
func (r Reading[T]) Get() (T, bool) { return r.value, r.known }

// Known reports whether there is a value.
func (r Reading[T]) Known() bool { return r.known }

// Or returns the value, or fallback when there is none.
func (r Reading[T]) Or(fallback T) T {
	if r.known {
		return r.value
	}
	return fallback
}

// Why returns the reason of an unknown reading; of a known one it returns the
// zero Reason, which means nothing.
func (r Reading[T]) Why() Reason { return r.why }

// Cast carries the reason of an unknown reading over to another type.
func Cast[T, U any](r Reading[U]) Reading[T] { return Reading[T]{why: r.why} }

// Map applies f to the value of r, or carries its reason over.
func Map[T, U any](r Reading[T], f func(T) U) Reading[U] {
	if r.known {
		return Known(f(r.value))
	}
	return Cast[U](r)
}
