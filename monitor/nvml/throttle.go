package nvml

// throttleNames are the bits of nvmlClocksEventReason… (nvml.h), lowest first.
var throttleNames = [...]string{
	"gpu-idle",
	"application-clocks",
	"sw-power-cap",
	"hw-slowdown",
	"sync-boost",
	"sw-thermal",
	"hw-thermal",
	"hw-power-brake",
	"display-clocks",
}

// throttleReasons names the set bits; bits that have no name here become one
// "other". It returns an empty, non-nil list when no bit is set.
func throttleReasons(mask uint64) []string {
	names := []string{}
	for bit, name := range throttleNames {
		if mask&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	if mask>>len(throttleNames) != 0 {
		names = append(names, "other")
	}
	return names
}
