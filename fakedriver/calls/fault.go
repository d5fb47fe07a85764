// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Methods into which faults can be injected.
const (
	Prepare   = "NodePrepareResources"
	Unprepare = "NodeUnprepareResources"
)

// Action is the effect of a fault on a call.
type Action string

const (
	// Fail makes the call fail before it is handled.
	Fail Action = "Fail"
	// FailClaims makes the call succeed without handling it. Its response
	// reports an error for each claim.
	FailClaims Action = "FailClaims"
	// OmitClaims makes the call succeed without handling it. Its response
	// contains none of its claims.
	OmitClaims Action = "OmitClaims"
	// Delay delays the call before it is handled.
	Delay Action = "Delay"
	// Hang blocks the call until its caller cancels it or until it is released.
	// A released call is handled.
	Hang Action = "Hang"
	// Lose handles the call and then returns an error to the caller, as if the
	// response had been lost.
	Lose Action = "Lose"
	// OmitCDIDevices handles a call to prepare claims and removes the CDI devices from
	// the response, as if the driver gave containers access in another way.
	OmitCDIDevices Action = "OmitCDIDevices"
	// OmitRequests handles a call to prepare claims and removes the names of requests from
	// the response, so that all devices of a claim are for all of its requests.
	OmitRequests Action = "OmitRequests"
)

// maxDelay exceeds the kubelet's timeout for any call.
const maxDelay = 10 * time.Minute

// Fault is a fault that is injected into the next calls of a method.
type Fault struct {
	// Method is Prepare or Unprepare.
	Method string `json:"method"`
	Action Action `json:"action"`
	// Count is the number of calls that are affected, at least 1. Faults for
	// the same method are applied in the order of their injection.
	Count int `json:"count"`
	// Delay is the duration of the action Delay, at most 10m.
	Delay metav1.Duration `json:"delay,omitzero"`
	// Message is the error of the call or its claims with the actions Fail,
	// FailClaims and Lose. With OmitClaims, it is only the error in the log.
	Message string `json:"message,omitempty"`
	// Claims are names of claims. If there are any, only calls for one of them are
	// affected. FailClaims and OmitClaims then fail and omit these claims only, and
	// the call is handled for its other claims.
	Claims []string `json:"claims,omitempty"`
	// ID identifies the request for the fault. A request with the ID of an earlier one
	// changes nothing, also if that fault has been applied or released. A client that
	// got no answer can therefore repeat its request. Requests without an ID are
	// different ones.
	ID string `json:"id,omitempty"`
}

// Validate returns an error if the fault is invalid.
func (f Fault) Validate() error {
	if f.Method != Prepare && f.Method != Unprepare {
		return fmt.Errorf("method %q cannot have faults, only %s and %s can", f.Method, Prepare, Unprepare)
	}
	if f.Count < 1 {
		return fmt.Errorf("count must be at least 1, not %d", f.Count)
	}
	switch f.Action {
	case Fail, FailClaims, OmitClaims, Lose:
		if f.Message == "" {
			return errors.New("a call cannot fail without a message")
		}
	case Delay:
		if f.Delay.Duration <= 0 || f.Delay.Duration > maxDelay {
			return fmt.Errorf("delay must be more than 0 and at most %s, not %s", maxDelay, f.Delay.Duration)
		}
	case Hang:
	case OmitCDIDevices, OmitRequests:
		if f.Method != Prepare {
			return fmt.Errorf("responses of method %s have no CDI devices and no requests", f.Method)
		}
	default:
		return fmt.Errorf("action %q is not known, use %s, %s, %s, %s, %s, %s, %s or %s", f.Action, Fail, FailClaims, OmitClaims, Delay, Hang, Lose, OmitCDIDevices, OmitRequests)
	}
	return nil
}

// Inject adds a fault after all faults that were injected before, unless it has the ID
// of one of them.
func (r *Recorder) Inject(fault Fault) error {
	if err := fault.Validate(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if fault.ID != "" {
		if r.ids[fault.ID] {
			return nil
		}
		if r.ids == nil {
			r.ids = map[string]bool{}
		}
		r.ids[fault.ID] = true
	}
	r.faults = append(r.faults, fault)
	return nil
}

// Release discards all pending faults and lets all waiting calls continue.
func (r *Recorder) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = nil
	if r.release != nil {
		close(r.release)
		r.release = nil
	}
}

// affects reports whether the fault affects a claim of a call.
func (f Fault) affects(claim Claim) bool {
	return len(f.Claims) == 0 || slices.Contains(f.Claims, claim.Name)
}

// isFor reports whether the fault is for a call with the given claims.
func (f Fault) isFor(method string, claims []Claim) bool {
	return f.Method == method && (len(f.Claims) == 0 || slices.ContainsFunc(claims, f.affects))
}

// take returns the fault for a call, or the zero value if there is none. The
// caller must hold the lock.
func (r *Recorder) take(method string, claims []Claim) Fault {
	for i := range r.faults {
		if r.faults[i].isFor(method, claims) {
			taken := r.faults[i]
			if r.faults[i].Count--; r.faults[i].Count == 0 {
				r.faults = slices.Delete(r.faults, i, i+1)
			}
			return taken
		}
	}
	return Fault{}
}

// happen applies a fault before a call is handled. If it returns an error, the
// call must not be handled.
func (f Fault) happen(ctx context.Context, release <-chan struct{}) error {
	var elapsed <-chan time.Time
	switch f.Action {
	case Fail:
		return errors.New(f.Message)
	case Delay:
		timer := time.NewTimer(f.Delay.Duration)
		defer timer.Stop()
		elapsed = timer.C
	case Hang:
	default:
		return nil
	}
	select {
	case <-elapsed:
		return nil
	case <-release:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the caller canceled the call while it was waiting: %w", context.Cause(ctx))
	}
}
