package formats

var toolFrames = []frame{}
