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

var errStarting = errors.New("it is not known yet which replica leads")

// state is what a replica says about itself.
type state struct {
	mu   sync.Mutex
	text string
	err  error // why the replica is not ready
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

// serveReadiness answers requests to /readyz with 200 once the replica leads and
// the API server has its devices, or another replica leads, and with 503 and a
// reason before. It returns when the context is done.
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
