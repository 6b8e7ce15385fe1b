package formats

var torchtitanFrames = []frame{}
