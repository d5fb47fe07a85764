// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/draconform/draconform/fakedriver/control"
)

// serve handles HTTP requests to /readyz and to the control endpoint. It
// returns when the context is done.
func serve(ctx context.Context, listener net.Listener, tokenFile string, drivers *fleet) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", drivers.serveReadiness)
	mux.Handle("/control/", control.Handler(tokenFile, drivers))
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP requests: %w", err)
	}
	return nil
}

// serveReadiness responds with 200 if the kubelet has registered the plugin's
// own driver and the API server has its devices. Otherwise it responds with 503
// and a reason. The state of additional drivers has no effect, because one pod
// of the DaemonSet serves all drivers.
func (f *fleet) serveReadiness(w http.ResponseWriter, _ *http.Request) {
	status, err := f.Status(f.config.DriverName)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case !status.Registered:
		http.Error(w, "the kubelet has not registered the plugin", http.StatusServiceUnavailable)
	case status.Pending != "":
		http.Error(w, status.Pending, http.StatusServiceUnavailable)
	default:
		_, _ = fmt.Fprintln(w, "ok")
	}
}
