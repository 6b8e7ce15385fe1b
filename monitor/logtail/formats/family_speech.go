package formats

var speechFrames = []frame{}
