package nvml

// The driver writes process entries of one of three layouts under the same
// function name: 16 bytes (pid, memory), 24 bytes (and the two MIG instances),
// or 32 bytes (and confidential memory, in R535 before 535.98; reports:
// nvitop#79, go-nvml#75). No version number tells them apart, so the buffer is
// filled with a pattern first and the layout is seen from how far the driver
// wrote. Every entry is given room for the longest layout, so that none writes
// beyond the buffer.
const (
	entryWords   = 4 // room of one entry, in 64-bit words
	unwritten    = 0xA5A5A5A5A5A5A5A5
	defaultWords = 3 // the layout that nvml.h documents
)

func fillUnwritten(words []uint64) {
	for i := range words {
		words[i] = unwritten
	}
}

// layoutOf returns the words of one entry, given what a driver wrote for
// count entries.
func layoutOf(words []uint64, count int) int {
	last := len(words)
	for last > 0 && words[last-1] == unwritten {
		last--
	}
	switch last {
	case 2 * count:
		return 2
	case 4 * count:
		return 4
	}
	return defaultWords
}

// appendEntries reads count entries. All processors that NVIDIA drivers exist
// for store the low half of a word first.
func appendEntries(to []processEntry, words []uint64, count int, list processList) []processEntry {
	size := layoutOf(words, count)
	if count > len(words)/entryWords {
		count = len(words) / entryWords
	}
	for i := range count {
		entry := words[i*size:]
		e := processEntry{pid: uint32(entry[0]), usedBytes: entry[1], instance: noInstance, list: list}
		if size > 2 {
			e.instance = uint32(entry[2])
		}
		to = append(to, e)
	}
	return to
}
