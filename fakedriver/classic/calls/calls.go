// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package calls logs what a classic driver is asked for and injects faults. Its JSON
// is that of the package of the same name of the other fake drivers, which cannot
// be built with the Kubernetes modules of legacy releases.
package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Methods into which faults can be injected: those of the interface that classic
// drivers implement.
const (
	Allocate        = "Allocate"
	Deallocate      = "Deallocate"
	UnsuitableNodes = "UnsuitableNodes"
)

// Action is the effect of a fault on a call.
type Action string

// The actions, as in the calls of node plugins.
const (
	// Fail makes the call fail before it is handled.
	Fail Action = "Fail"
	// Delay delays the call before it is handled.
	Delay Action = "Delay"
	// Hang blocks the call until it is released. Then it is handled.
	Hang Action = "Hang"
	// Lose handles the call and then fails, as if the response had been lost.
	Lose Action = "Lose"
)

// maxDelay is as in the calls of node plugins.
const maxDelay = 10 * time.Minute

// Fault is a fault that is injected into the next calls of a method.
type Fault struct {
	Method string `json:"method"`
	Action Action `json:"action"`
	// Count is the number of calls that are affected, at least 1.
	Count int `json:"count"`
	// Delay is the duration of the action Delay, at most 10m.
	Delay metav1.Duration `json:"delay,omitzero"`
	// Message is the error with the actions Fail and Lose.
	Message string `json:"message,omitempty"`
	// ID identifies the request for the fault, as in the calls of node plugins.
	ID string `json:"id,omitempty"`
}

// Validate returns an error if the fault is invalid.
func (f Fault) Validate() error {
	switch {
	case !slices.Contains([]string{Allocate, Deallocate, UnsuitableNodes}, f.Method):
		return fmt.Errorf("method %q cannot have faults, only %s, %s and %s can", f.Method, Allocate, Deallocate, UnsuitableNodes)
	case !slices.Contains([]Action{Fail, Delay, Hang, Lose}, f.Action):
		return fmt.Errorf("action %q is not known, use %s, %s, %s or %s", f.Action, Fail, Delay, Hang, Lose)
	case f.Count < 1:
		return fmt.Errorf("count must be at least 1, not %d", f.Count)
	case (f.Action == Fail || f.Action == Lose) && f.Message == "":
		return errors.New("a call cannot fail without a message")
	case f.Action == Delay && (f.Delay.Duration <= 0 || f.Delay.Duration > maxDelay):
		return fmt.Errorf("delay must be more than 0 and at most %s, not %s", maxDelay, f.Delay.Duration)
	}
	return nil
}

// Call is one call of the driver.
type Call struct {
	// Seq numbers the calls of the process from 1.
	Seq    int     `json:"seq"`
	Method string  `json:"method"`
	Claims []Claim `json:"claims,omitempty"`
	// Nodes are the selected node of Allocate, or the potential nodes of
	// UnsuitableNodes.
	Nodes []string   `json:"nodes,omitempty"`
	Error string     `json:"error,omitempty"`
	Fault Action     `json:"fault,omitempty"`
	Start time.Time  `json:"start"`
	End   *time.Time `json:"end,omitempty"`
}

// Claim is a claim of a call, with its result.
type Claim struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// Devices are the devices that were allocated, as pool/name.
	Devices []string `json:"devices,omitempty"`
	// Unsuitable are the nodes that the driver has excluded.
	Unsuitable []string `json:"unsuitable,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// maxCalls is the number of calls that are kept, as in those of node plugins.
const maxCalls = 4096

// Recorder has the log of a driver's calls and the faults for future ones. Its zero
// value is ready to use. It is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex
	calls   []Call
	last    int
	faults  []Fault
	ids     map[string]bool // of all faults so far
	release chan struct{}
}

// Calls returns the calls with a higher number than after, the oldest first.
func (r *Recorder) Calls(after int) []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, _ := slices.BinarySearchFunc(r.calls, after+1, func(c Call, seq int) int { return c.Seq - seq })
	return slices.Clone(r.calls[first:])
}

// Inject adds a fault after all faults that were injected before, unless it has the ID
// of one of them.
func (r *Recorder) Inject(f Fault) error {
	if err := f.Validate(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.ID != "" {
		if r.ids[f.ID] {
			return nil
		}
		if r.ids == nil {
			r.ids = map[string]bool{}
		}
		r.ids[f.ID] = true
	}
	r.faults = append(r.faults, f)
	return nil
}

// Release discards all pending faults and lets waiting calls continue.
func (r *Recorder) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = nil
	if r.release != nil {
		close(r.release)
		r.release = nil
	}
}

// Do logs a call and applies the next fault for its method. handle returns the claims
// with their results.
func (r *Recorder) Do(ctx context.Context, method string, claims []Claim, nodes []string, handle func() ([]Claim, error)) error {
	seq, fault, release := r.begin(method, claims, nodes)
	err := fault.happen(ctx, release)
	if err == nil {
		claims, err = handle()
	}
	if err == nil && fault.Action == Lose {
		err = errors.New(fault.Message)
	}
	r.end(seq, claims, err)
	return err
}

func (r *Recorder) begin(method string, claims []Claim, nodes []string) (int, Fault, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	fault := r.take(method)
	r.calls = append(r.calls, Call{Seq: r.last, Method: method, Claims: claims, Nodes: nodes, Fault: fault.Action, Start: time.Now()})
	if len(r.calls) > maxCalls {
		r.calls = slices.Delete(r.calls, 0, len(r.calls)-maxCalls)
	}
	if r.release == nil {
		r.release = make(chan struct{})
	}
	return r.last, fault, r.release
}

// take returns the fault for a call, or the zero value. The caller holds the lock.
func (r *Recorder) take(method string) Fault {
	i := slices.IndexFunc(r.faults, func(f Fault) bool { return f.Method == method })
	if i < 0 {
		return Fault{}
	}
	taken := r.faults[i]
	if r.faults[i].Count--; r.faults[i].Count == 0 {
		r.faults = slices.Delete(r.faults, i, i+1)
	}
	return taken
}

func (r *Recorder) end(seq int, claims []Claim, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, found := slices.BinarySearchFunc(r.calls, seq, func(c Call, seq int) int { return c.Seq - seq })
	if !found {
		return
	}
	now := time.Now()
	r.calls[i].Claims, r.calls[i].End = claims, &now
	if err != nil {
		r.calls[i].Error = err.Error()
	}
}

// happen applies a fault before a call is handled.
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
		return fmt.Errorf("the driver ended while the call was waiting: %w", context.Cause(ctx))
	}
}
