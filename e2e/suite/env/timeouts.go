// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"time"
)

// Timeouts has the limits of the waits of specs.
type Timeouts struct {
	// PodStart is how long a pod may take until it runs, from its creation or
	// from the time when its devices became available.
	PodStart time.Duration
	// Unschedulable is how long the scheduler may take to report a pod as
	// unschedulable.
	Unschedulable time.Duration
	// Stable is how long specs check that a condition remains true, for example
	// that a pod remains unschedulable.
	Stable time.Duration
	// Deletion is how long deleted objects may take to be removed.
	Deletion time.Duration
	// Recovery is how long the cluster may take to recover after a restart.
	Recovery time.Duration
}

// DefaultTimeouts returns the timeouts for a cluster on one machine.
func DefaultTimeouts() Timeouts {
	return Timeouts{PodStart: 2 * time.Minute, Unschedulable: 30 * time.Second, Stable: 3 * time.Second, Deletion: time.Minute, Recovery: 2 * time.Minute}
}

// PollInterval is how often specs poll the cluster.
const PollInterval = 200 * time.Millisecond
