// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// failure is the last time that a kubelet failed to prepare or unprepare the
// claims of a pod.
type failure struct {
	at time.Time
	// version is that of the pod.
	version string
}

// versionOf tells apart what clients have made of a pod. It does not depend on
// what the kubelet writes.
func versionOf(pod *corev1.Pod) string {
	return fmt.Sprint(pod.Annotations, pod.DeletionTimestamp != nil)
}

// fail records that a kubelet failed to prepare or unprepare the claims of a
// pod.
func (c *Cluster) fail(pod *corev1.Pod) {
	c.kubelets.failed[pod.UID] = failure{time.Now(), versionOf(pod)}
}

// triesAgain reports whether a kubelet prepares or unprepares the claims of a
// pod now. It does unless it has failed before.
func (c *Cluster) triesAgain(pod *corev1.Pod) bool {
	last, failed := c.kubelets.failed[pod.UID]
	switch {
	case !failed:
		return true
	case c.Mistakes.RetriesChangedPods:
		return last.version != versionOf(pod)
	}
	return time.Since(last.at) >= c.SyncPeriod
}
