// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// pods returns copies of all pods.
func (c *Cluster) pods() ([]*corev1.Pod, error) { return listOf[corev1.Pod](c, pods, "Pod") }

// claims returns copies of all claims.
func (c *Cluster) claims() ([]*resourceapi.ResourceClaim, error) {
	return listOf[resourceapi.ResourceClaim](c, claims, "ResourceClaim")
}

// slices returns copies of all ResourceSlices.
func (c *Cluster) slices() ([]*resourceapi.ResourceSlice, error) {
	return listOf[resourceapi.ResourceSlice](c, slicesOf, "ResourceSlice")
}

func key(o metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

func (c *Cluster) store(resource schema.GroupVersionResource, o metav1.Object) error {
	c.changes[resource]++
	return c.tracker.Create(resource, o.(runtime.Object), o.GetNamespace())
}

func (c *Cluster) update(resource schema.GroupVersionResource, o metav1.Object) error {
	if resource != pods {
		c.changes[resource]++
	}
	return c.tracker.Update(resource, o.(runtime.Object), o.GetNamespace())
}

func (c *Cluster) remove(resource schema.GroupVersionResource, o metav1.Object) error {
	c.changes[resource]++
	for action := range c.since {
		if strings.HasSuffix(action, " "+key(o).String()) {
			delete(c.since, action) // a later object of this name starts anew
		}
	}
	return c.tracker.Delete(resource, o.GetNamespace(), o.GetName())
}

// claim returns a copy of a claim.
func (c *Cluster) claim(name types.NamespacedName) (*resourceapi.ResourceClaim, error) {
	o, err := c.tracker.Get(claims, name.Namespace, name.Name)
	if err != nil {
		return nil, err
	}
	return o.(*resourceapi.ResourceClaim), nil
}

// recordEvent creates a warning event about a pod unless one with this reason
// exists.
func (c *Cluster) recordEvent(pod *corev1.Pod, reason, message string) error {
	name := pod.Name + "." + strings.ToLower(reason)
	if _, err := c.tracker.Get(events, pod.Namespace, name); err == nil {
		return nil
	}
	event := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: pod.Namespace},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.Now(),
		Source: corev1.EventSource{Component: "kubelet"},
	}
	if reason == failedScheduling {
		event.Source.Component = corev1.DefaultSchedulerName
	}
	if c.OtherWords {
		event.Type = corev1.EventTypeNormal
	}
	return c.store(events, event)
}

// failedScheduling is the reason of the scheduler's events. All others are the
// kubelets'.
const failedScheduling = "FailedScheduling"
