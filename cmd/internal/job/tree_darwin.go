package job

// descendants needs /proc; without it the job's process group has to do.
func descendants(int) []int { return nil }

// Under needs /proc.
func Under(int, int) bool { return false }
