// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/draconform/draconform/internal/filelock"
)

// files are the paths of the files of this command.
type files struct {
	dir     string
	lock    string // held while an engine is installed, started or stopped
	pid     string // pid file of the dockerd that this command started
	log     string // log of that dockerd
	apt     string // log of apt-get
	runtime string // the OCI runtime wrapper
}

// stateFiles returns the paths below the state directory of draconform.
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

// lockTimeout is longer than the installation and the start of an engine take.
const lockTimeout = 15 * time.Minute

// acquire creates the state directory and takes the lock. The lock prevents
// concurrent installations and starts. It is also released when this process
// ends.
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
