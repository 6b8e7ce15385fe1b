package formats

var huggingfaceFrames = []frame{}
