package doctor

import (
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/engine/caps"
)

// Readings are what was read from a machine.
type Readings struct {
	Engine     Reading[Engine]
	Machine    Reading[Machine]
	Privileged Reading[Privileged]
	// DiskFree is the number of free bytes where the engine keeps images.
	DiskFree Reading[uint64]
	// InotifyInstances and InotifyWatches are limits for all processes of one
	// user, and so for all nodes together.
	InotifyInstances Reading[int]
	InotifyWatches   Reading[int]
	// Overlay says whether the kernel has the overlay file system.
	Overlay Reading[bool]
	// GoVersion is what the Go toolchain on PATH says.
	GoVersion Reading[string]
	// Mmdebstrap is the path of the program that makes a Debian root file
	// system.
	Mmdebstrap Reading[string]
	// CanInstall says whether Debian packages can be installed: by root, with
	// apt-get.
	CanInstall bool
}

// Reading is a value or the reason why it could not be read. Where
// fs.ErrNotExist is the reason, the machine has no such thing and nothing is
// said about it.
type Reading[T any] struct {
	Value T
	Err   error
}

// read makes a Reading of what a function returned.
func read[T any](value T, err error) Reading[T] {
	return Reading[T]{Value: value, Err: err}
}

// Engine is the container engine that answers.
type Engine struct {
	Name string // docker or podman
	engine.Info
}

// Machine is where containers run or, while no engine answers, would run.
type Machine struct {
	CgroupVersion int    // 1 or 2; 0 if unknown
	DataRoot      string // folder on the disk that holds, or would hold, the engine's images
	MemoryBytes   uint64 // total
	Cores         int    // logical processors
}

// Privileged is what is known about privileged containers, which kind's nodes
// are.
type Privileged struct {
	// Tried says that one was started, with StartErr as the outcome; otherwise
	// the rest has to do.
	Tried    bool
	StartErr error
	// Withheld are the capabilities that this machine withholds from all its
	// processes.
	Withheld caps.Set
}
