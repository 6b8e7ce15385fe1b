package monitor

// XidText says what an Xid means, an error number of the NVIDIA kernel module
// (NVIDIA, "XID Errors"), and whether a faulty program causes it, so that it
// says nothing of the GPU. The text is empty for a number that is not known.
func XidText(code int) (text string, ofJob bool) {
	switch code {
	case 13:
		return "a kernel of a job failed", true
	case 31:
		return "a job reached for memory that is not its own", true
	case 43:
		return "a job was stopped for a fault of its own", true
	case 45:
		return "a job was stopped", true
	case 48:
		return "uncorrectable memory error", false
	case 62:
		return "the GPU's own controller halted", false
	case 63:
		return "a row of memory is taken out of use", false
	case 64:
		return "a row of memory could not be taken out of use", false
	case 74:
		return "NVLink error", false
	case 79:
		return "the GPU has fallen off the bus", false
	case 92:
		return "many correctable memory errors", false
	case 94:
		return "contained memory error", false
	case 95:
		return "uncontained memory error", false
	case 119:
		return "the GPU's own controller does not answer", false
	case 120:
		return "the GPU's own controller failed", false
	}
	return "", false
}
