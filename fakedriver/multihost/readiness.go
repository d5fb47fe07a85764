// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"k8s.io/klog/v2"
)

var errStarting = errors.New("no leader is known yet")

// state is the state that a replica reports.
type state struct {
	mu   sync.Mutex
	text string
	err  error // the reason why the replica is not ready
}

// set changes the state and logs changes.
func (s *state) set(ctx context.Context, text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && (s.err == nil || s.err.Error() != err.Error()):
		klog.FromContext(ctx).Info("Not ready", "reason", err)
	case err == nil && (s.err != nil || s.text != text):
		klog.FromContext(ctx).Info("Ready", "state", text)
	}
	s.text, s.err = text, err
}

func (s *state) get() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text, s.err
}

// serveReadiness handles HTTP requests to /readyz. It responds with 200 if the
// replica leads and the API server has its devices, or if another replica
// leads. Otherwise it responds with 503 and a reason. It returns when the
// context is done.
func serveReadiness(ctx context.Context, listener net.Listener, state *state) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		text, err := state.get()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, text)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve readiness: %w", err)
	}
	return nil
}
