package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/draconform/draconform/internal/filelock"
)

// files are the places where this command keeps what it has to remember.
type files struct {
	dir     string
	lock    string // held while something is installed, started or stopped
	pid     string // written by the dockerd we started
	log     string // what that dockerd says
	apt     string // what apt-get said
	runtime string // the OCI runtime wrapper
}

// stateFiles returns the files below the state directory, which is for all of
// draconform.
func stateFiles(state string) files {
	if state == "" {
		state = "/var/lib/draconform"
	}
	dir := filepath.Join(state, "engine")
	return files{
		dir:     dir,
		lock:    filepath.Join(dir, "lock"),
		pid:     filepath.Join(dir, "dockerd.pid"),
		log:     filepath.Join(dir, "dockerd.log"),
		apt:     filepath.Join(dir, "apt.log"),
		runtime: filepath.Join(dir, "ociwrap"),
	}
}

// lockTimeout is longer than another process needs to install and start an
// engine.
const lockTimeout = 15 * time.Minute

// acquire creates the state directory and takes the lock, so that two runs do
// not install or start at once. The end of this process releases it, too,
// whichever way it comes.
func (f files) acquire(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the state directory: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	release, err = filelock.Lock(ctx, f.lock, 200*time.Millisecond)
	if err != nil {
		return nil, fmt.Errorf("take the lock which another run holds while it installs or starts an engine: %w", err)
	}
	return release, nil
}
