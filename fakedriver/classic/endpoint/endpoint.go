// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package endpoint is the control endpoint of a classic driver. Its requests, header
// and errors are those of the endpoint of the other fake drivers, without those about
// the kubelet:
//
//	GET    /control/v1/drivers                        the drivers of the process, a list of Status
//	GET    /control/v1/drivers/{driver}               the Status of a driver
//	PUT    /control/v1/drivers/{driver}               Published: changes the inventory
//	GET    /control/v1/drivers/{driver}/calls?after=N calls after number N, a list of calls.Call
//	POST   /control/v1/drivers/{driver}/faults        calls.Fault: is injected into future calls
//	DELETE /control/v1/drivers/{driver}/faults        lets waiting calls continue and discards other faults
//	POST   /control/v1/exit                           terminates the process immediately, without cleanup
package endpoint

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// TokenHeader is the HTTP header that contains the token.
const TokenHeader = "Draconform-Token"

// maxBody is the maximum size of a request body.
const maxBody = 1 << 20

// Published is what a driver has.
type Published struct {
	Inventory inventory.Inventory `json:"inventory"`
}

// Status is the status of a driver.
type Status struct {
	Driver string `json:"driver"`
	// Process identifies the process. It changes with a restart.
	Process   string    `json:"process"`
	Published Published `json:"published"`
}

// Driver is the driver that the endpoint controls.
type Driver struct {
	Name, Process string
	Calls         *calls.Recorder
	// Exit ends the process.
	Exit func()

	mu        sync.Mutex
	inventory inventory.Inventory
}

// Inventory returns the present inventory.
func (d *Driver) Inventory() inventory.Inventory {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inventory
}

// SetInventory replaces the inventory.
func (d *Driver) SetInventory(i inventory.Inventory) error {
	if err := i.Validate(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inventory = i
	return nil
}

func (d *Driver) status() Status {
	return Status{Driver: d.Name, Process: d.Process, Published: Published{Inventory: d.Inventory()}}
}

var (
	errInvalid   = errors.New("invalid")
	errUnknown   = errors.New("no such driver")
	errForbidden = errors.New("wrong token")
)

// Handler returns a handler that requires the token in a file, which it reads for each
// request. While the file does not exist, it rejects all requests.
func (d *Driver) Handler(tokenFile string) http.Handler {
	const base = "/control/v1"
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(*http.Request) (any, error){
		"GET " + base + "/drivers":                    func(*http.Request) (any, error) { return []Status{d.status()}, nil },
		"GET " + base + "/drivers/{driver}":           func(*http.Request) (any, error) { return d.status(), nil },
		"PUT " + base + "/drivers/{driver}":           d.publish,
		"GET " + base + "/drivers/{driver}/calls":     d.calls,
		"POST " + base + "/drivers/{driver}/faults":   d.inject,
		"DELETE " + base + "/drivers/{driver}/faults": d.release,
		"POST " + base + "/exit":                      d.exit,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			if name := r.PathValue("driver"); name != "" && name != d.Name {
				respond(w, nil, fmt.Errorf("%w: %s", errUnknown, name))
				return
			}
			out, err := serve(r)
			respond(w, out, err)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed(tokenFile, r.Header.Get(TokenHeader)) {
			respond(w, nil, errForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (d *Driver) publish(r *http.Request) (any, error) {
	var p Published
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	if err := d.SetInventory(p.Inventory); err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalid, err)
	}
	return d.status(), nil
}

func (d *Driver) calls(r *http.Request) (any, error) {
	after := 0
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("%w: after: %w", errInvalid, err)
		}
	}
	return d.Calls.Calls(after), nil
}

func (d *Driver) inject(r *http.Request) (any, error) {
	var f calls.Fault
	if err := decode(r, &f); err != nil {
		return nil, err
	}
	if err := d.Calls.Inject(f); err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalid, err)
	}
	return struct{}{}, nil
}

func (d *Driver) release(*http.Request) (any, error) {
	d.Calls.Release()
	return struct{}{}, nil
}

// exit ends the process after the response.
func (d *Driver) exit(r *http.Request) (any, error) {
	go func() {
		<-r.Context().Done() // The response has been sent.
		d.Exit()
	}()
	return struct{}{}, nil
}

func decode(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return nil
}

func respond(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	switch {
	case errors.Is(err, errInvalid):
		status = http.StatusBadRequest
	case errors.Is(err, errForbidden):
		status = http.StatusForbidden
	case errors.Is(err, errUnknown):
		status = http.StatusNotFound
	case err != nil:
		status = http.StatusInternalServerError
	}
	if err != nil {
		out = map[string]string{"error": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // The client sees a broken connection.
}

// allowed compares hashes, so that the time does not depend on the token.
func allowed(tokenFile, token string) bool {
	content, err := os.ReadFile(tokenFile)
	want := strings.TrimSpace(string(content))
	if err != nil || want == "" {
		return false
	}
	a, b := sha256.Sum256([]byte(want)), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
