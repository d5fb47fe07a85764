// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/draconform/draconform/e2e/report/evidence"
)

// Server serves a run: its state until it has a page, and then the page, with the
// files that the page links. Nothing else of the folder is served, in particular
// no kubeconfig.
type Server struct {
	// Dir is the folder of the run.
	Dir string
	// Keep serves the page after the run has ended. By default, the server ends
	// when browsers have had the time to load it.
	Keep bool
	// poll is the interval of updates. Zero means one second.
	poll time.Duration
}

// linger is the time in which browsers load the page after the run has ended, in
// intervals of updates.
const linger = 5

// Serve serves until the run or the context ends. On a loopback address, it only
// answers requests for that: another web page cannot read the run
// through a name that resolves to the address.
func (s Server) Serve(ctx context.Context, listener net.Listener) error {
	s.poll = cmp.Or(s.poll, time.Second)
	root, err := os.OpenRoot(s.Dir) // Links must not lead out of the folder.
	if err != nil {
		return fmt.Errorf("serve a run: %w", err)
	}
	defer func() { _ = root.Close() }()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.servePage(root.FS()))
	mux.HandleFunc("GET /events", s.serveEvents)
	mux.Handle("GET /", files(root.FS()))
	serving, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler: guarded(listener.Addr(), mux), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return serving },
	}
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- server.Serve(listener)
	}()
	s.wait(serving)
	stop() // Streams of events end.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = server.Shutdown(closing) // A connection that is still open ends with the process.
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve a run: %w", err)
	}
	return nil
}

// wait returns when the context has ended, or the run and the time in which
// browsers load its page.
func (s Server) wait(ctx context.Context) {
	t := time.NewTicker(s.poll)
	defer t.Stop()
	for rest := linger; rest > 0; {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if !s.Keep && Ended(s.Dir) {
			rest--
		}
	}
}

// guarded rejects requests for other hosts on a loopback address, and sets the
// headers of all responses.
func guarded(listens net.Addr, next http.Handler) http.Handler {
	at, err := netip.ParseAddrPort(listens.String())
	local := err == nil && at.Addr().IsLoopback()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if local && !isLocal(r.Host) {
			http.Error(w, "this address is for requests from this machine only", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether the host of a request is this machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && address.IsLoopback()
}

// servePage serves the page of the run, or its state if there is no page yet.
func (s Server) servePage(files fs.FS) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if Ended(s.Dir) {
			http.ServeFileFS(w, r, files, evidence.PageFile)
			return
		}
		state, err := Read(s.Dir)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = state.html(w) // The client has gone.
	}
}

// serveEvents sends the state of the run as server-sent events, and at last the
// event "report" when there is a page.
func (s Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	t := time.NewTicker(s.poll)
	defer t.Stop()
	for {
		name, text := "report", ""
		if !Ended(s.Dir) {
			state, err := Read(s.Dir)
			if err != nil {
				return
			}
			if text, err = state.fragment(); err != nil {
				return
			}
			name = "state"
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, strings.ReplaceAll(text, "\n", "\ndata: ")); err != nil {
			return
		}
		if err := out.Flush(); err != nil || name == "report" {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-t.C:
		}
	}
}

// files serves the files that the page of a run links. They are shown as text,
// because they contain text of clusters, which must not be interpreted.
func files(all fs.FS) http.Handler {
	serve := http.FileServerFS(all)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(r.URL.Path, "/")
		top, _, _ := strings.Cut(name, "/")
		info, err := fs.Stat(all, name)
		if err != nil || !slices.ContainsFunc(evidence.Linked(all), func(l string) bool { return strings.Trim(l, "/") == top }) {
			http.NotFound(w, r)
			return
		}
		if !info.IsDir() {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
		serve.ServeHTTP(w, r)
	})
}
