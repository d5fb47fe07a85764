package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"
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
// not install or start at once. Closing the file releases it, and so does the
// end of this process, whichever way it comes.
func (f files) acquire(ctx context.Context) (*os.File, error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the state directory: %w", err)
	}
	lock, err := os.OpenFile(f.lock, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	err = wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, lockTimeout, true, func(context.Context) (bool, error) {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("take the lock %s, which another run holds while it installs or starts an engine: %w", f.lock, err)
	}
	return lock, nil
}
