package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Methods that faults can be injected into.
const (
	Prepare   = "NodePrepareResources"
	Unprepare = "NodeUnprepareResources"
)

// Action is what a fault does to a call.
type Action string

const (
	// Fail lets the call fail before anything was done.
	Fail Action = "Fail"
	// FailClaims lets the call succeed, and its answer says that each claim failed,
	// for which nothing was done.
	FailClaims Action = "FailClaims"
	// OmitClaims lets the call succeed, and its answer has none of its claims, for
	// which nothing was done.
	OmitClaims Action = "OmitClaims"
	// Delay lets the call wait, and then go on.
	Delay Action = "Delay"
	// Hang lets the call wait until its caller gives up, or until it is
	// released and goes on.
	Hang Action = "Hang"
	// Lose lets the call be handled, and its caller is told that it failed, as if
	// the answer had been lost.
	Lose Action = "Lose"
)

// maxDelay is longer than the kubelet waits for any call.
const maxDelay = 10 * time.Minute

// Fault is something that happens to the next calls of a method.
type Fault struct {
	// Method is Prepare or Unprepare.
	Method string `json:"method"`
	Action Action `json:"action"`
	// Count is to how many calls it happens, at least 1. Faults for the same
	// method happen one after the other.
	Count int `json:"count"`
	// Delay is how long a call waits, with the action Delay, at most 10m.
	Delay metav1.Duration `json:"delay,omitzero"`
	// Message is what a call or its claims fail with, with the actions Fail,
	// FailClaims and Lose, and what the log says with OmitClaims.
	Message string `json:"message,omitempty"`
}

// Validate returns what is wrong with a fault.
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
	default:
		return fmt.Errorf("action %q is not known, use %s, %s, %s, %s, %s or %s", f.Action, Fail, FailClaims, OmitClaims, Delay, Hang, Lose)
	}
	return nil
}

// Inject lets a fault happen after those that were injected before.
func (r *Recorder) Inject(fault Fault) error {
	if err := fault.Validate(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fault)
	return nil
}

// Release forgets the faults that have not happened yet and lets all calls that
// wait go on.
func (r *Recorder) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = nil
	if r.release != nil {
		close(r.release)
		r.release = nil
	}
}

// take returns the fault for a call, the zero value if there is none. The
// caller holds the lock.
func (r *Recorder) take(method string) Fault {
	for i := range r.faults {
		if r.faults[i].Method == method {
			taken := r.faults[i]
			if r.faults[i].Count--; r.faults[i].Count == 0 {
				r.faults = slices.Delete(r.faults, i, i+1)
			}
			return taken
		}
	}
	return Fault{}
}

// happen does what a fault does before a call is handled. With an error the
// call is not handled.
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
		return fmt.Errorf("the caller gave up while the call had to wait: %w", context.Cause(ctx))
	}
}
