// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/allocation"
)

var priorityClassesOf = schedulingapi.SchemeGroupVersion.WithResource("priorityclasses")

// setPriority sets the priority of a new pod by its PriorityClass, as the API
// server does.
func (c *Cluster) setPriority(pod *corev1.Pod) error {
	pod.Spec.Priority = ptr.To[int32](0)
	if pod.Spec.PriorityClassName == "" {
		return nil
	}
	o, err := c.tracker.Get(priorityClassesOf, "", pod.Spec.PriorityClassName)
	if err != nil {
		return fmt.Errorf("read the priority class of pod %s: %w", pod.Name, err)
	}
	pod.Spec.Priority = &o.(*schedulingapi.PriorityClass).Value
	return nil
}

// preempt evicts all pods of a lower priority from the first node on which an
// unschedulable pod then fits. Like kube-scheduler, it does not expect that their
// devices become free: claims can outlive pods. The pods have no grace period.
func (c *Cluster) preempt(a allocation.Allocator, s *Scene) error {
	nodes, err := shared[corev1.Node](c, nodesOf, "Node")
	overlooked := len(s.own) > 0 && (c.Mistakes.NeverPreempts || c.Mistakes.PreemptsForNewOnly && len(s.Claims) == 0)
	if err != nil || c.WithoutPreemption || overlooked {
		return err
	}
	for _, node := range nodes {
		victims := s.victimsOn(node)
		if len(victims) == 0 || !c.isPermitted(s.Pod, node, s.own) || !c.isFull(s.Pod, node) || c.isFull(s.Pod, node, victims...) {
			continue
		}
		if !c.Mistakes.PreemptsInVain && len(s.Claims) > 0 {
			found, err := c.allocateOn(a, node, s.Claims)
			if err != nil && !isNoFit(err) {
				return err
			}
			if found == nil {
				continue
			}
		}
		var errs []error
		for _, victim := range victims {
			errs = append(errs, c.remove(pods, victim))
		}
		return errors.Join(errs...)
	}
	return nil
}

// victimsOn returns the pods on a node that have a lower priority than the pod.
func (s *Scene) victimsOn(node *corev1.Node) []*corev1.Pod {
	var victims []*corev1.Pod
	for _, pod := range s.bound {
		if pod.Spec.NodeName == node.Name && ptr.Deref(pod.Spec.Priority, 0) < ptr.Deref(s.Pod.Spec.Priority, 0) {
			victims = append(victims, pod)
		}
	}
	return victims
}
