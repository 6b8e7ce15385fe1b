package history

import "time"

// Config says how much is kept. Every zero field stands for the live default.
type Config struct {
	// Samples is how many of the newest samples are kept singly in each series.
	Samples int
	// The two coarser resolutions. Their figures are kept with 24 significant
	// bits, an error of at most 0.000006 %. CoarseWidth is rounded up to a
	// multiple of MidWidth.
	MidWidth      time.Duration
	MidBuckets    int
	CoarseWidth   time.Duration
	CoarseBuckets int
	// SeriesBytes bounds the memory that all series together may come to take,
	// should every figure change with every sample. When it is used up
	// the longest gone process makes room, and with none gone a new one is not
	// kept (Stats counts it).
	SeriesBytes int64
	// Interval is the time between samples; 0 estimates it.
	Interval time.Duration
	// GoneAfter is how long the series of a process outlive it.
	GoneAfter time.Duration
	// Processes is how many processes the facts are kept of, gone ones included.
	Processes int
	// WholeSamples and WholeBytes bound the samples kept as they were, for At.
	WholeSamples int
	WholeBytes   int64
	// Readings and Marks bound the rings of log readings and marks.
	Readings int
	Marks    int
}

// The live defaults: five minutes of single samples at one a second, an hour
// in 20-second buckets, a day in five-minute buckets. With 8 GPUs and 64
// processes that stays under 8 MiB when every figure moves with every sample,
// and takes about 3 MiB in a job that trains.
const (
	defaultSamples       = 300
	defaultMidWidth      = 20 * time.Second
	defaultMidBuckets    = 180
	defaultCoarseWidth   = 5 * time.Minute
	defaultCoarseBuckets = 288
	defaultSeriesBytes   = 11776 << 10
	defaultGoneAfter     = 15 * time.Minute
	defaultProcesses     = 1024
	defaultWholeSamples  = 600
	defaultWholeBytes    = 1280 << 10
	defaultReadings      = 512
	defaultMarks         = 256
)

// WholeFile returns the Config for judging or replaying a whole recording of
// that many samples: single samples from first to last as far as 256 MiB go,
// processes never forgotten.
func WholeFile(samples int, span time.Duration) Config {
	coarse := max(defaultCoarseWidth, span/defaultCoarseBuckets+time.Second).Round(time.Second)
	return Config{
		Samples:       max(samples, leastSamples),
		MidBuckets:    bucketsFor(span, defaultMidWidth, defaultMidBuckets),
		CoarseWidth:   coarse,
		CoarseBuckets: bucketsFor(span, coarse, defaultCoarseBuckets),
		SeriesBytes:   256 << 20,
		GoneAfter:     max(span, 365*24*time.Hour),
		Processes:     1 << 16,
		WholeSamples:  max(samples, defaultWholeSamples),
		WholeBytes:    64 << 20,
		Readings:      1 << 16,
		Marks:         1 << 14,
	}
}

// leastSamples is room for a recording that grows a little while it is read.
const leastSamples = 32

// bucketsFor is how many buckets a span reaches into, so that a short recording
// of very many processes does not hold room for a day of each.
func bucketsFor(span, width time.Duration, most int) int {
	return int(min(span/width+2, time.Duration(most)))
}

func (c Config) withDefaults() Config {
	setInt(&c.Samples, defaultSamples)
	setInt(&c.MidWidth, defaultMidWidth)
	setInt(&c.MidBuckets, defaultMidBuckets)
	setInt(&c.CoarseWidth, defaultCoarseWidth)
	setInt(&c.CoarseBuckets, defaultCoarseBuckets)
	if part := c.CoarseWidth % c.MidWidth; part != 0 {
		c.CoarseWidth += c.MidWidth - part
	}
	setInt(&c.SeriesBytes, defaultSeriesBytes)
	setInt(&c.GoneAfter, defaultGoneAfter)
	setInt(&c.Processes, defaultProcesses)
	setInt(&c.WholeSamples, defaultWholeSamples)
	setInt(&c.WholeBytes, defaultWholeBytes)
	setInt(&c.Readings, defaultReadings)
	setInt(&c.Marks, defaultMarks)
	return c
}

func setInt[T ~int | ~int64](field *T, fallback T) {
	if *field <= 0 {
		*field = fallback
	}
}
