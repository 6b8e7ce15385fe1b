package advisor

import (
	"time"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// Severity says how much a finding matters. The zero value is Info.
type Severity uint8

// The severities, in rising order.
const (
	Info     Severity = iota // true and worth knowing, no harm now
	Warning                  // makes failure likely, or holds idle what the job could use
	Critical                 // it failed, or will within minutes
)

var severityNames = [...]string{Info: "info", Warning: "warning", Critical: "critical"}

// String returns the severity as it stands in JSON.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "info"
}

// ParseSeverity returns the severity of that name; false for no such name.
func ParseSeverity(name string) (Severity, bool) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), true
		}
	}
	return Info, false
}

// Confidence says how sure a finding is. The zero value is Possible.
type Confidence uint8

// The confidences, in rising order.
const (
	Possible Confidence = iota // the figures allow it and others
	Likely                     // the figures speak for it
	Fact                       // the figures say so themselves
)

var confidenceNames = [...]string{Possible: "possible", Likely: "likely", Fact: "fact"}

// String returns the confidence as it stands in JSON.
func (c Confidence) String() string {
	if int(c) < len(confidenceNames) {
		return confidenceNames[c]
	}
	return "possible"
}

// State says whether a finding still holds at the end of the window.
type State uint8

// The states of a finding.
const (
	Active   State = iota
	Resolved       // it does not hold any more, and its process is still there
	Ended          // its process has ended: nothing was mended
)

var stateNames = [...]string{Active: "active", Resolved: "resolved", Ended: "ended with its process"}

// String returns the state in words.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "active"
}

// Unit is the unit of a figure in evidence.
type Unit string

// The units of evidence.
const (
	Bytes          Unit = "bytes"
	BytesPerSecond Unit = "bytes/s"
	BytesPerStep   Unit = "bytes/step"
	Percent        Unit = "percent"
	Seconds        Unit = "seconds"
	Count          Unit = "count"
	Ratio          Unit = "ratio"
)

// Evidence is one figure that speaks for a finding. From and To bound the time
// it was taken from; zero when it belongs to no time.
type Evidence struct {
	Name     string
	Value    float64 // in Unit
	Unit     Unit
	From, To time.Time
	// Source says where it comes from, when that is not the process itself or the
	// driver: "from the log", "assumed".
	Source string
}

// Line is what a chart draws for a finding: a straight line through the level
// that it judged, in bytes. Nothing is to be drawn when Metric is empty.
type Line struct {
	Metric              string // name of the series, as history.Metric gives it
	From, To            time.Time
	FromBytes, ToBytes  float64
	SlopeLow, SlopeHigh float64 // bytes a second; 0 when not known
}

// Finding is one named cause with its evidence.
type Finding struct {
	ID         catalog.ID
	Severity   Severity
	Confidence Confidence
	State      State
	Title      string // one sentence with the figures in it
	Past       string // the same sentence when what it speaks of is over
	// GPU is the NVML index; of a text alone, the number that the text gives. It
	// is nil when the finding concerns no device or none is known.
	GPU      *int
	GPUID    string // history's name of the device, "" likewise
	PID      *int   // nil when it concerns no process or is not known
	Rank     *int   // nil when not known
	From, To time.Time
	Evidence []Evidence
	Advice   []catalog.Advice // in order of effort
	Confirm  string           // what would confirm it
	Refute   string           // what would speak against it
	Line     Line
}

// Key names a finding across passes: the same cause on the same device and
// process.
type Key struct {
	ID  catalog.ID
	GPU string
	PID int
}

// Sentence returns what is said of a finding, of one that is over in the past
// tense.
func (f Finding) Sentence(over bool) string {
	if over && f.Past != "" {
		return f.Past
	}
	return f.Title
}

// Key returns the name of the finding across passes. A forecast is one of the
// device, whoever grows on it just then.
func (f Finding) Key() Key {
	k := Key{ID: f.ID, GPU: f.GPUID}
	if f.PID != nil && f.ID != catalog.ForecastFull {
		k.PID = *f.PID
	}
	return k
}
