package formats

var megatronFrames = []frame{}
