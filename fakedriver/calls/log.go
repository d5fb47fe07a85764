// Package calls keeps the log of the gRPC calls that a driver got from the
// kubelet, and makes calls fail, wait or hang on request.
package calls

import (
	"slices"
	"sync"
	"time"
)

// Call is one call of the kubelet.
type Call struct {
	// Seq numbers the calls of a driver from 1, in the order in which they
	// began. It begins anew when the driver's process does.
	Seq int `json:"seq"`
	// Method is the gRPC method without its service, for example
	// "NodePrepareResources".
	Method string `json:"method"`
	// Claims are those of the call, if it is about claims, in its order.
	Claims []Claim `json:"claims,omitempty"`
	// Error is what the whole call failed with.
	Error string `json:"error,omitempty"`
	// Fault is what was done to the call on request, if anything was.
	Fault Action `json:"fault,omitempty"`
	// Start and End are when the call began and ended. It has no end while
	// it goes on.
	Start time.Time  `json:"start"`
	End   *time.Time `json:"end,omitempty"`
}

// Claim is what a call was about, and what became of it.
type Claim struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// Devices are those that were prepared.
	Devices []string `json:"devices,omitempty"`
	// CDIDevices are what containers get for them, as the driver answered.
	CDIDevices []string `json:"cdiDevices,omitempty"`
	// Error is what failed for this claim.
	Error string `json:"error,omitempty"`
}

// maxCalls is how many calls a log keeps: more than any spec causes, and few
// enough that a kubelet that repeats a call for days costs no memory.
const maxCalls = 4096

// Recorder has the calls of one driver and the faults for those to come. Its
// zero value is ready. It is safe for concurrent use.
type Recorder struct {
	mu     sync.Mutex
	calls  []Call
	last   int // the newest Seq
	faults []Fault
	// release is closed when waiting calls may go on.
	release chan struct{}
}

// Calls returns the calls with a higher number than after, oldest first. Of
// very many only the newest are kept.
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

// begin adds a call and takes the fault that is due for it.
func (r *Recorder) begin(method string, claims []Claim) (int, Fault, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	fault := r.take(method)
	r.calls = append(r.calls, Call{Seq: r.last, Method: method, Claims: claims, Fault: fault.Action, Start: time.Now()})
	if len(r.calls) > maxCalls {
		r.calls = slices.Delete(r.calls, 0, len(r.calls)-maxCalls)
	}
	if r.release == nil {
		r.release = make(chan struct{})
	}
	return r.last, fault, r.release
}

// end completes a call.
func (r *Recorder) end(seq int, claims []Claim, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, found := slices.BinarySearchFunc(r.calls, seq, func(c Call, seq int) int { return c.Seq - seq })
	if !found {
		return // It took so long that newer ones displaced it.
	}
	now := time.Now()
	r.calls[i].Claims, r.calls[i].End = claims, &now
	if err != nil {
		r.calls[i].Error = err.Error()
	}
}
