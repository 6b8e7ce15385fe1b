// Package proc tells what the operating system knows of the processes that
// use a GPU or have PyTorch loaded: command, owner, parent, container, rank.
//
// It reads below a proc root and a cgroup root only, opens no file of a
// process, and keeps of an environment a closed list of variables. It must not
// know who asks, how facts are kept, or how they are drawn. It is the only
// importer of gopsutil.
package proc
