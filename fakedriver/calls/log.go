// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package calls logs the gRPC calls that a driver receives from the kubelet. It
// injects faults that make calls fail, wait or hang.
package calls

import (
	"slices"
	"sync"
	"time"
)

// Call is one call of the kubelet.
type Call struct {
	// Seq numbers the calls of a driver in the order in which they started,
	// from 1. It restarts with the process of the driver.
	Seq int `json:"seq"`
	// Method is the gRPC method without its service, for example
	// "NodePrepareResources".
	Method string `json:"method"`
	// Claims are the claims of the call, in the order of the request.
	Claims []Claim `json:"claims,omitempty"`
	// Error is the error of the whole call.
	Error string `json:"error,omitempty"`
	// Fault is the action of the fault that was injected into the call, if any.
	Fault Action `json:"fault,omitempty"`
	// Start and End are the times at which the call started and ended. End is
	// nil while the call is running.
	Start time.Time  `json:"start"`
	End   *time.Time `json:"end,omitempty"`
}

// Claim is a claim of a call, with its result.
type Claim struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// Devices are the devices that were prepared.
	Devices []string `json:"devices,omitempty"`
	// CDIDevices are the CDI device IDs of these devices in the driver's
	// response.
	CDIDevices []string `json:"cdiDevices,omitempty"`
	// Shares are the IDs of the shares in the driver's response.
	Shares []string `json:"shares,omitempty"`
	// Error is the error for this claim.
	Error string `json:"error,omitempty"`
}

// maxCalls is the maximum number of calls in a log. It exceeds the number of
// calls of any spec, and it bounds the memory that a kubelet can use up with
// calls that it repeats for days.
const maxCalls = 4096

// Recorder contains the log of one driver's calls and the faults for future
// calls. Its zero value is ready to use. It is safe for concurrent use.
type Recorder struct {
	mu     sync.Mutex
	calls  []Call
	last   int // the newest Seq
	faults []Fault
	ids    map[string]bool // of all faults so far
	// release is closed when waiting calls may continue.
	release chan struct{}
}

// Calls returns the calls with a higher number than after, oldest first. Only
// the newest 4096 calls are kept.
func (r *Recorder) Calls(after int) []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, _ := slices.BinarySearchFunc(r.calls, after+1, func(c Call, seq int) int { return c.Seq - seq })
	out := slices.Clone(r.calls[first:])
	for i := range out {
		out[i].Claims = slices.Clone(out[i].Claims)
	}
	return out
}

// begin adds a call to the log. It returns the fault for the call.
func (r *Recorder) begin(method string, claims []Claim) (int, Fault, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	fault := r.take(method, claims)
	r.calls = append(r.calls, Call{Seq: r.last, Method: method, Claims: claims, Fault: fault.Action, Start: time.Now()})
	if len(r.calls) > maxCalls {
		r.calls = slices.Delete(r.calls, 0, len(r.calls)-maxCalls)
	}
	if r.release == nil {
		r.release = make(chan struct{})
	}
	return r.last, fault, r.release
}

// end completes a call in the log.
func (r *Recorder) end(seq int, claims []Claim, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, found := slices.BinarySearchFunc(r.calls, seq, func(c Call, seq int) int { return c.Seq - seq })
	if !found {
		return // Newer calls have displaced it.
	}
	now := time.Now()
	r.calls[i].Claims, r.calls[i].End = claims, &now
	if err != nil {
		r.calls[i].Error = err.Error()
	}
}
