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
// The driver library is bound lazily, so the program must not be linked with
// -z now nor started with LD_BIND_NOW: without a driver it would then end
// before main.
package nvml
