// Package chart draws the three layers of GPU memory over time: allocated,
// reserved and used stacked on one axis against the total, with the gaps
// between them shaded differently, so that it reads without colour.
//
// A Model says which stretch of time is looked at and where the cursors are;
// its methods are pure. Data holds what there is to draw, already pooled into
// one bucket a column; Read gets it from a history. Render puts the two
// together. What was not read stays empty: nothing is interpolated or assumed.
//
// It must not know where figures come from, what keys move a cursor, or what
// time it is.
package chart
