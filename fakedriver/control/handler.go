// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
)

const (
	// maxBody is the maximum size of a request body. It is roughly the maximum
	// size of a Kubernetes object.
	maxBody = 1 << 20
	// publishTimeout limits how long a request waits until the API server has
	// what is published.
	publishTimeout = 30 * time.Second
)

// Handler returns a handler that requires the token in the file. It reads the
// file for each request, because the token may change. While the file does not
// exist, it rejects all requests.
func Handler(tokenFile string, drivers Drivers) http.Handler {
	h := handler{drivers}
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(*http.Request) (any, error){
		"GET " + base + "/drivers":                       h.list,
		"GET " + base + "/drivers/{driver}":              h.status,
		"PUT " + base + "/drivers/{driver}":              h.publish,
		"DELETE " + base + "/drivers/{driver}":           h.stop,
		"GET " + base + "/drivers/{driver}/calls":        h.calls,
		"POST " + base + "/drivers/{driver}/faults":      h.inject,
		"DELETE " + base + "/drivers/{driver}/faults":    h.release,
		"PUT " + base + "/drivers/{driver}/registration": h.register,
		"PUT " + base + "/drivers/{driver}/health":       h.health,
		"PUT " + base + "/drivers/{driver}/disk":         h.disk,
		"POST " + base + "/drivers/{driver}/damage":      h.damage,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			out, err := serve(r)
			respond(w, r, out, err)
		})
	}
	mux.HandleFunc("POST "+base+"/exit", h.exit)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed(tokenFile, r.Header.Get(TokenHeader)) {
			respond(w, r, nil, errForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

var errForbidden = errors.New("the header " + TokenHeader + " does not have the token of this installation")

// allowed compares hashes in constant time, so that the duration does not
// reveal the token.
func allowed(tokenFile, token string) bool {
	want, err := os.ReadFile(tokenFile)
	if err != nil || len(strings.TrimSpace(string(want))) == 0 {
		return false
	}
	a, b := sha256.Sum256([]byte(strings.TrimSpace(string(want)))), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// failure is the body of an error response.
type failure struct {
	Error string `json:"error"`
}

// statuses maps errors to HTTP status codes.
var statuses = map[error]int{
	ErrInvalid:       http.StatusBadRequest,
	errForbidden:     http.StatusForbidden,
	ErrUnknownDriver: http.StatusNotFound,
	ErrInUse:         http.StatusConflict,
	ErrPending:       http.StatusGatewayTimeout,
}

func respond(w http.ResponseWriter, r *http.Request, out any, err error) {
	status := http.StatusOK
	if err != nil {
		status, out = http.StatusInternalServerError, failure{err.Error()}
		for known, code := range statuses {
			if errors.Is(err, known) {
				status = code
			}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(out); err != nil {
		klog.FromContext(r.Context()).Info("Could not respond", "method", r.Method, "path", r.URL.Path, "reason", err)
	}
}

// handler translates requests into calls of Drivers.
type handler struct{ drivers Drivers }

func (h handler) list(*http.Request) (any, error) { return h.drivers.List(), nil }

func (h handler) status(r *http.Request) (any, error) {
	return h.drivers.Status(r.PathValue("driver"))
}

func (h handler) publish(r *http.Request) (any, error) {
	published, err := body[Published](r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), publishTimeout)
	defer cancel()
	if err := h.drivers.Publish(ctx, r.PathValue("driver"), published); err != nil {
		return nil, err
	}
	return h.status(r)
}

func (h handler) stop(r *http.Request) (any, error) {
	return struct{}{}, h.drivers.Stop(r.Context(), r.PathValue("driver"))
}

func (h handler) calls(r *http.Request) (any, error) {
	after := 0
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("%w: after=%q is not a number", ErrInvalid, text)
		}
	}
	return h.drivers.Calls(r.PathValue("driver"), after)
}

func (h handler) inject(r *http.Request) (any, error) {
	fault, err := body[calls.Fault](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.drivers.Inject(r.PathValue("driver"), fault)
}

func (h handler) release(r *http.Request) (any, error) {
	return struct{}{}, h.drivers.Release(r.PathValue("driver"))
}

func (h handler) register(r *http.Request) (any, error) {
	registration, err := body[Registration](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.drivers.Register(r.PathValue("driver"), registration.Offered)
}

func (h handler) health(r *http.Request) (any, error) {
	health, err := body[Health](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.drivers.SetHealth(r.PathValue("driver"), health)
}

func (h handler) disk(r *http.Request) (any, error) {
	disk, err := body[claims.Disk](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.drivers.SetDisk(r.PathValue("driver"), disk)
}

func (h handler) damage(r *http.Request) (any, error) {
	damage, err := body[Damage](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.drivers.Damage(r.PathValue("driver"), damage)
}

// exit responds before it terminates the process. The response has no body, so
// it is complete after the flush.
func (h handler) exit(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusNoContent)
	if err := http.NewResponseController(w).Flush(); err != nil {
		klog.FromContext(r.Context()).Info("Could not respond before the exit", "reason", err)
	}
	h.drivers.Exit()
}

// body decodes the body of a request. Unknown fields are errors.
func body[T any](r *http.Request) (T, error) {
	var out T
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil {
		return out, fmt.Errorf("%w: decode request: %w", ErrInvalid, err)
	}
	return out, nil
}
