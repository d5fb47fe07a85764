// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/engine/caps"
)

// Readings are the values that were read from a machine.
type Readings struct {
	Engine     Reading[Engine]
	Machine    Reading[Machine]
	Privileged Reading[Privileged]
	// DiskFree is the number of free bytes on the disk where the engine keeps
	// images.
	DiskFree Reading[uint64]
	// InotifyInstances and InotifyWatches are limits for all processes of one
	// user. All nodes together share them.
	InotifyInstances Reading[int]
	InotifyWatches   Reading[int]
	// Overlay states whether the kernel supports the overlay file system.
	Overlay Reading[bool]
	// GoVersion is the output of "go version" for the Go toolchain on PATH.
	GoVersion Reading[string]
	// Mmdebstrap is the path of the program that creates a Debian root file
	// system.
	Mmdebstrap Reading[string]
	// CanInstall states whether Debian packages can be installed, which
	// requires root and apt-get.
	CanInstall bool
}

// Reading is a value, or the error that occurred when reading it. The error
// fs.ErrNotExist means that the value does not exist on the machine. Such a
// reading has no result.
type Reading[T any] struct {
	Value T
	Err   error
}

// read converts the results of a function into a Reading.
func read[T any](value T, err error) Reading[T] {
	return Reading[T]{Value: value, Err: err}
}

// Engine is the container engine that was found.
type Engine struct {
	Name string // docker or podman
	engine.Info
}

// Machine is the machine that runs containers. If no engine was found, it is
// the machine that would run them.
type Machine struct {
	CgroupVersion int    // 1 or 2; 0 if unknown
	DataRoot      string // folder on the disk of the engine's images
	MemoryBytes   uint64 // total
	Cores         int    // logical processors
}

// Privileged contains the results about privileged containers. kind's nodes are
// privileged containers.
type Privileged struct {
	// Tried states whether starting a privileged container was tried. StartErr
	// is the error of that start.
	Tried    bool
	StartErr error
	// Withheld are the capabilities that this machine withholds from all its
	// processes.
	Withheld caps.Set
}
