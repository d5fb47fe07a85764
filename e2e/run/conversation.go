// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/draconform/draconform/e2e/suite"
)

// workerResult is the result of a spec, which a worker writes as a line of JSON
// as soon as the spec finishes. Other lines come when the spec begins, and before if
// the worker asks for it.
type workerResult struct {
	ID string `json:"id"`
	// Begins states that the spec begins. It has no result yet.
	Begins bool `json:"begins,omitempty"`
	// Asks asks whether this worker runs the spec.
	Asks     bool          `json:"asks,omitempty"`
	Outcome  suite.Outcome `json:"outcome"`
	Reason   string        `json:"reason,omitempty"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Steps    []suite.Step  `json:"steps,omitempty"`
	// FailedAt and Namespace are those of the failure.
	FailedAt  time.Time `json:"failedAt,omitzero"`
	Namespace string    `json:"namespace,omitempty"`
	// Ended states that a component of the worker's control plane has ended. There is no
	// spec then.
	Ended *suite.Ended `json:"ended,omitempty"`
}

// newWorkerResult returns what a worker writes when a spec finishes.
func newWorkerResult(r suite.Result) workerResult {
	return workerResult{
		ID: r.Spec.ID, Outcome: r.Outcome, Reason: r.Reason, Started: r.Started, Duration: r.Duration, Steps: r.Steps,
		FailedAt: r.FailedAt, Namespace: r.Namespace,
	}
}

// of returns the result of a spec that finished.
func (f workerResult) of(s suite.Spec) suite.Result {
	return suite.Result{
		Spec: s, Outcome: f.Outcome, Reason: f.Reason, Started: f.Started, Duration: f.Duration, Steps: f.Steps,
		FailedAt: f.FailedAt, Namespace: f.Namespace,
	}
}

// workerAnswer is the answer to a worker that asks whether it runs a spec.
type workerAnswer struct {
	Run bool `json:"run"`
}

// conversation is what a worker and the run tell each other.
type conversation struct {
	in  *json.Decoder
	out *json.Encoder
}

// tell writes a line for the run. A failed write is ignored: the run has stopped
// reading.
func (c conversation) tell(result workerResult) { _ = c.out.Encode(result) }

// takes asks whether the worker runs a spec. Without an answer, the run has ended.
func (c conversation) takes(s suite.Spec) bool {
	c.tell(workerResult{ID: s.ID, Asks: true})
	var answer workerAnswer
	return c.in.Decode(&answer) == nil && answer.Run
}

// readResults reads the results that a worker writes and passes them on.
func readResults(from io.Reader, record func(workerResult)) error {
	decoder := json.NewDecoder(from)
	for {
		var f workerResult
		err := decoder.Decode(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the results of a worker: %w", err)
		}
		record(f)
	}
}
