// Package doctor says what can be seen of GPU jobs from here, what cannot, why,
// and what would help, the cheapest help first.
//
// Gather collects facts below roots that it is given; the checks are pure
// functions of those facts. It must not know how a sample is taken, ask the
// driver anything itself, or print: it returns a Report and can write it as
// text or JSON.
package doctor
