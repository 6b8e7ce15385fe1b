package monitor

// LayerIndex answers for the layers of each device of one sample, in time that
// grows with the rows of that device and not with those of the sample. Its
// memory is used again from sample to sample. The zero value is ready for
// Index.
type LayerIndex struct {
	s       *Sample
	gpus    map[int]int     // NVML index → place
	holders map[place]int   // first of that process on that device
	rows    map[int][]int   // NVML index → places of its allocators
	devices map[int][]place // PID → where the driver lists it, for rows that do not tell
}

// place is a process on a device, by NVML index.
type place struct{ pid, gpu int }

// Index takes a sample, which must not be changed while Layers is asked.
func (x *LayerIndex) Index(s *Sample) {
	if x.s == nil {
		x.gpus, x.holders = map[int]int{}, map[place]int{}
		x.rows, x.devices = map[int][]int{}, map[int][]place{}
	}
	clear(x.gpus)
	clear(x.holders)
	clear(x.rows)
	clear(x.devices)
	x.s = s
	for i := range s.GPUs {
		if _, had := x.gpus[s.GPUs[i].Index]; !had {
			x.gpus[s.GPUs[i].Index] = i
		}
	}
	for i := range s.Holders {
		h := &s.Holders[i]
		at := place{h.PID, h.GPU}
		if _, had := x.holders[at]; !had && h.InNamespace {
			x.holders[at] = i
			x.devices[h.PID] = append(x.devices[h.PID], at)
		}
	}
	for i := range s.Torch {
		a := &s.Torch[i]
		if on, known := a.GPU.Get(); known {
			x.rows[on] = append(x.rows[on], i)
		} else if a.State != AllocatorOK {
			for _, at := range x.devices[a.PID] {
				x.rows[at.gpu] = append(x.rows[at.gpu], i)
			}
		}
	}
}

// Layers returns what LayersOf does.
func (x *LayerIndex) Layers(gpu int) Layers {
	var l Layers
	if i, ok := x.gpus[gpu]; ok {
		l.device(&x.s.GPUs[i])
	}
	sum := newLayerSum()
	for _, i := range x.rows[gpu] {
		a := &x.s.Torch[i]
		h, listed := x.holders[place{a.PID, gpu}]
		if listed {
			l.row(&sum, a, x.s.Holders[h], true)
		} else {
			l.row(&sum, a, Holder{}, false)
		}
	}
	l.finish(&sum)
	return l
}
