// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import "time"

const (
	// wakeUp is how long an event may take to make a waiting pod schedulable.
	// kube-scheduler retries unschedulable pods by itself when five minutes have passed,
	// which would hide that it overlooked the event.
	wakeUp = 3 * time.Minute
	// calm exceeds how long kube-scheduler does not retry a pod after the first attempt,
	// which is 1 s (podInitialBackoffSeconds). An earlier event, such as a slice that is
	// observed late, has been used up then: a pod that was woken has been tried again.
	calm = 1500 * time.Millisecond
)

// BoundWakeUps bounds the timeouts of a spec in which an event makes a waiting pod
// schedulable. The spec must run alone, because the changes of others would hide that a
// scheduler overlooks the event: kube-scheduler retries all pods that wait for devices
// when there is a new node, a slice or a class changes, or a claim is deallocated. As
// nothing else runs meanwhile, pods are only watched for as long as it takes until they
// are sure to wait for the event.
func (e *Env) BoundWakeUps() {
	e.Timeouts.PodStart, e.Timeouts.Stable = min(e.Timeouts.PodStart, wakeUp), min(e.Timeouts.Stable, calm)
}
