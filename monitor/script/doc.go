// Package script makes up the samples of a machine from a short description:
// devices, jobs and what their memory does over time. It is for tests and
// benchmarks; the same description gives the same samples, always.
//
// It must not know a clock: times are counted from Machine.Start. A Feed waits
// with package time only to keep the pace, so that it runs in testing/synctest.
package script
