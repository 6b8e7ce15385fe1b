package formats

var deepspeedFrames = []frame{}
