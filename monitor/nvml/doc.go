// Package nvml reads the GPUs of a machine through the NVIDIA driver library:
// what they are, what they hold and who holds it. It is the only importer of
// go-nvml and keeps that binding behind guard rails: no call after a failed
// start, no call of a function that the installed driver lacks, one goroutine
// and one deadline per GPU, a new start after the driver was restarted.
//
// It must not know what PyTorch is, what a finding is, or how anything is
// drawn. It only asks: nothing on a device is ever set, and the slow PCIe
// throughput question is never asked.
//
// The driver library is loaded while the program runs, and its functions are
// bound by the stubs of package latebind, so that a machine without a driver
// starts the program like any other.
package nvml
