package formats

var visionFrames = []frame{}
