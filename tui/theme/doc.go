// Package theme holds every visual decision: which glyphs draw a layer, which
// style a thing of a given role has. Screens and widgets take all styling from
// here and none from anywhere else.
//
// It is built in three steps: a palette gives each role its attributes, a
// builder turns them into styles, and a named theme puts styles and glyphs
// together. Colour only adds: without it the three layers differ by glyph, and
// with it as without by label and order, so that a theme without colour loses
// nothing.
//
// It must not know of samples or screens.
package theme
