package formats

var pretrainFrames = []frame{}
