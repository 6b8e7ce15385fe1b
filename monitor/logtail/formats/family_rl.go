package formats

var rlFrames = []frame{}
