// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"k8s.io/klog/v2"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// maxRequests is the maximum number of requests at a time.
const maxRequests = 16

// Handler returns a handler for the requests that package api defines.
func Handler(config Config) (http.Handler, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("configure the node agent: %w", err)
	}
	mux := http.NewServeMux()
	handle(mux, api.PathPing, func(context.Context, api.Empty) (api.Empty, error) { return api.Empty{}, nil })
	handle(mux, api.PathRegistrations, func(ctx context.Context, request api.DriverRequest) (api.Registrations, error) {
		if err := config.allow(request.Driver); err != nil {
			return api.Registrations{}, err
		}
		return config.registrations(ctx, request.Driver)
	})
	handle(mux, api.PathPrepare, func(ctx context.Context, request api.Calls) ([]api.Answer, error) {
		return config.call(ctx, prepare, request)
	})
	handle(mux, api.PathUnprepare, func(ctx context.Context, request api.Calls) ([]api.Answer, error) {
		return config.call(ctx, unprepare, request)
	})
	handle(mux, api.PathHealth, config.health)
	handle(mux, api.PathCDI, func(context.Context, api.Empty) ([]api.CDIFile, error) { return config.cdiFiles() })
	handle(mux, api.PathHideCDI, func(_ context.Context, request api.CDIFileVersions) (api.Empty, error) { return config.hide(request) })
	handle(mux, api.PathRestoreCDI, func(_ context.Context, request api.CDIPaths) (api.Empty, error) { return config.restore(request) })
	handle(mux, api.PathDiscardCDI, func(_ context.Context, request api.CDIPaths) (api.Empty, error) { return config.discard(request) })
	handle(mux, api.PathClaims, func(context.Context, api.Empty) ([]api.KubeletClaim, error) { return config.kubeletClaims() })
	handle(mux, api.PathPodResources, config.podResources)
	return limited(authenticated(config.Token, mux)), nil
}

// handle registers a function for POST requests to a path. Requests are decoded
// strictly and limited in size and time.
func handle[In, Out any](mux *http.ServeMux, path string, serve func(context.Context, In) (Out, error)) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), api.RequestTimeout)
		defer cancel()
		in, err := decode[In](http.MaxBytesReader(w, r.Body, api.MaxBody))
		if err != nil {
			respond(w, r, nil, err)
			return
		}
		out, err := serve(ctx, in)
		respond(w, r, out, err)
	})
}

// decode decodes the body of a request: one JSON value without unknown fields.
func decode[T any](body io.Reader) (T, error) {
	var out T
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil {
		return out, fmt.Errorf("%w: %w", api.ErrInvalid, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return out, fmt.Errorf("%w: there is more after the JSON value", api.ErrInvalid)
	}
	return out, nil
}

// authenticated rejects requests without the token. It compares hashes in
// constant time, so that the duration does not reveal the token.
func authenticated(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		have := sha256.Sum256([]byte(r.Header.Get(api.TokenHeader)))
		if subtle.ConstantTimeCompare(want[:], have[:]) != 1 {
			respond(w, r, nil, api.ErrForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limited rejects requests while maxRequests are in progress.
func limited(next http.Handler) http.Handler {
	running := make(chan struct{}, maxRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
			next.ServeHTTP(w, r)
		default:
			respond(w, r, nil, api.ErrBusy)
		}
	})
}

// statuses maps errors to HTTP status codes.
var statuses = map[error]int{
	api.ErrInvalid:       http.StatusBadRequest,
	api.ErrForbidden:     http.StatusForbidden,
	api.ErrNotRegistered: http.StatusNotFound,
	api.ErrBusy:          http.StatusTooManyRequests,
}

func respond(w http.ResponseWriter, r *http.Request, out any, err error) {
	status := http.StatusOK
	if err != nil {
		status, out = http.StatusInternalServerError, api.Failure{Error: err.Error()}
		for known, code := range statuses {
			if errors.Is(err, known) {
				status = code
			}
		}
	}
	klog.FromContext(r.Context()).Info("Request", "path", r.URL.Path, "status", status, "err", err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(out); err != nil {
		klog.FromContext(r.Context()).Info("Could not respond", "path", r.URL.Path, "reason", err)
	}
}
