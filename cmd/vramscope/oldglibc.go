package main

// Packages are built with the tag oldglibc; in any other build this is empty.
import _ "github.com/vramscope/vramscope/cmd/internal/oldglibc"
