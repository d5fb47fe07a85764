// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"cmp"
	"time"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Timeouts has the limits of the waits of specs.
type Timeouts struct {
	// PodStart is how long a pod may take until it runs, from its creation or
	// from the time when its devices became available.
	PodStart time.Duration
	// Unschedulable is how long the scheduler may take to report a pod as
	// unschedulable. It is a limit for overloaded machines: a right scheduler takes
	// seconds.
	Unschedulable time.Duration
	// Response is how long the control plane may take to follow a change that
	// needs no scheduling, and how long specs look for what a driver need not have
	// or do.
	Response time.Duration
	// Stable is how long specs check that a condition remains true, for example
	// that a pod remains unschedulable.
	Stable time.Duration
	// Deletion is how long deleted objects may take to be removed.
	Deletion time.Duration
	// Recovery is how long the cluster may take to recover after a restart.
	Recovery time.Duration
	// KubeletRetries is how long the kubelet may take to start or to end a pod by
	// itself after it has failed to prepare or unprepare claims, which may happen
	// several times. It replaces PodStart and Deletion in specs that leave pods to
	// the kubelet. Kubelets sync a pod again at most 1.5 times
	// KubeletConfiguration.syncFrequency later, which is 1m by default
	// (pkg/kubelet/pod_workers.go, completeWork: a failed PrepareDynamicResources is
	// no error of SyncPod), and after 15 s at most if they could not end it. The
	// default is for four attempts.
	KubeletRetries time.Duration
	// HealthExpiry exceeds how long kubelets rely on a report about the health of a
	// device, which is 30 s unless the driver states another time
	// (pkg/kubelet/cm/dra, DefaultHealthTimeout).
	HealthExpiry time.Duration
	// SliceRemoval exceeds how long kubelets wait until they remove the ResourceSlices of a
	// driver that is gone, which is 30 s (pkg/kubelet/cm/dra, defaultWipingDelay).
	SliceRemoval time.Duration
}

// DefaultTimeouts returns the timeouts for a cluster on one machine.
func DefaultTimeouts() Timeouts {
	return Timeouts{
		PodStart: 2 * time.Minute, Unschedulable: 2 * time.Minute, Response: 30 * time.Second, Stable: 3 * time.Second, Deletion: 2 * time.Minute,
		Recovery: 2 * time.Minute, KubeletRetries: 6 * time.Minute, HealthExpiry: 35 * time.Second, SliceRemoval: 45 * time.Second,
	}
}

// For returns the timeouts for drivers. A timeout that a driver file sets
// replaces the default; if several do, the longest counts.
func (t Timeouts) For(drivers ...*driverfile.Driver) Timeouts {
	longest := func(fallback time.Duration, of func(driverfile.Timeouts) driverfile.Duration) time.Duration {
		var set time.Duration
		for _, d := range drivers {
			set = max(set, time.Duration(of(d.Timeouts)))
		}
		return cmp.Or(set, fallback)
	}
	return Timeouts{
		PodStart:      longest(t.PodStart, func(o driverfile.Timeouts) driverfile.Duration { return o.PodStart }),
		Unschedulable: longest(t.Unschedulable, func(o driverfile.Timeouts) driverfile.Duration { return o.Unschedulable }),
		Stable:        longest(t.Stable, func(o driverfile.Timeouts) driverfile.Duration { return o.Stable }),
		Deletion:      longest(t.Deletion, func(o driverfile.Timeouts) driverfile.Duration { return o.Deletion }),
		Recovery:      longest(t.Recovery, func(o driverfile.Timeouts) driverfile.Duration { return o.Recovery }),
		// They do not depend on drivers.
		Response: t.Response, KubeletRetries: t.KubeletRetries, HealthExpiry: t.HealthExpiry, SliceRemoval: t.SliceRemoval,
	}
}

// PollInterval is how often specs poll the cluster.
const PollInterval = 200 * time.Millisecond
