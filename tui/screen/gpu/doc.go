// Package gpu is the screen of one GPU: the three layers of its memory over
// time as large as the terminal allows, and what they were at a moment.
//
// The moment on screen is the cursor: going through time moves it, and every
// other screen shows that moment too. A second cursor stands where it was set,
// for a difference. It computes nothing about memory beyond what packages
// monitor and chart offer.
package gpu
