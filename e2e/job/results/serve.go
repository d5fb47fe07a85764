// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Port is the port of a pod that [Server] listens on, on its loopback address
// only: other pods of the cluster cannot read the results. It is reached as by
// "kubectl port-forward".
const Port = 8477

const (
	// archivePath is requested to get the archive.
	archivePath = "/" + ArchiveFile
	// receivedPath is requested when the archive has been received.
	receivedPath = "/received"
	// defaultPoll is the interval at which a server looks for the mark.
	defaultPoll = time.Second
)

// Server gives access to the results of a run for as long as the pod exists that
// contains them. Files of a finished pod cannot be read.
type Server struct {
	// Dir is the directory for results of the run.
	Dir string
	// Folder is the folder of the run. It is archived if the run ends without
	// completing its results, for example because of its memory limit.
	Folder string
	// Hold is how long complete results are kept for a client.
	Hold time.Duration
	// Farewell is how long complete results are kept after the context has
	// ended, for a client that ended it.
	Farewell time.Duration

	// poll is defaultPoll if it is zero.
	poll time.Duration
}

// Serve serves until a client has received the results, or until complete
// results were held long enough. If the context ends while the run is not
// complete, Serve waits for it: both get the signal to terminate at the same time,
// and a run then cleans up first. The pod's grace period limits that.
func (s Server) Serve(ctx context.Context, listener net.Listener) error {
	received := make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+archivePath, s.serveArchive)
	mux.HandleFunc("POST "+receivedPath, func(http.ResponseWriter, *http.Request) {
		select {
		case received <- struct{}{}:
		default: // it was already received
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	err := s.wait(ctx, received, ended)
	// The response to a client that has received the results is still on its
	// way.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(closing))
}

// wait returns when the results no longer have to be served.
func (s Server) wait(ctx context.Context, received <-chan struct{}, ended <-chan error) error {
	poll := time.NewTicker(cmp.Or(s.poll, defaultPoll))
	defer poll.Stop()
	terminated := ctx.Done()
	var hold <-chan time.Time
	limit := s.Hold
	for {
		select {
		case <-received:
			return nil
		case <-hold:
			return nil
		case err := <-ended:
			return fmt.Errorf("serve the results: %w", err)
		case <-terminated:
			terminated, limit, hold = nil, s.Farewell, nil
		case <-poll.C:
		}
		if _, complete := s.archive(); complete && hold == nil {
			hold = time.After(limit)
		}
	}
}

// archive returns the path of the archive of complete results.
func (s Server) archive() (path string, complete bool) {
	content, err := os.ReadFile(filepath.Join(s.Dir, DoneFile))
	if err != nil {
		return "", false
	}
	return string(content), true
}

// serveArchive serves the archive of the run, or the current content of its
// folder if the run has not completed it.
func (s Server) serveArchive(w http.ResponseWriter, _ *http.Request) {
	write := func() error { return Archive(w, s.Folder) }
	if path, complete := s.archive(); complete && strings.HasSuffix(path, ArchiveFile) {
		f, err := os.Open(path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer func() { _ = f.Close() }()
		write = func() error { _, err := io.Copy(w, f); return err }
	} else if _, err := os.Stat(s.Folder); err != nil {
		http.Error(w, fmt.Sprintf("the run has left no results: %v", err), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	if err := write(); err != nil {
		// The client must not take a part for the whole.
		panic(http.ErrAbortHandler)
	}
}
