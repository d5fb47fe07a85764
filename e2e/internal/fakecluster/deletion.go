// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// delete sets the deletion timestamp of pods, claims and namespaces.
// removeDeleted removes them when they are no longer in use. Pods with a grace
// period of zero are removed at once.
func (c *Cluster) delete(action clienttesting.Action) (bool, runtime.Object, error) {
	resource := action.GetResource()
	if resource != pods && resource != claims && resource != namespaces {
		return false, nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	o, err := c.tracker.Get(resource, action.GetNamespace(), action.(clienttesting.DeleteAction).GetName())
	if err != nil {
		return true, nil, err
	}
	if options, ok := action.(clienttesting.DeleteActionImpl); ok && resource == pods && ptr.Deref(options.DeleteOptions.GracePeriodSeconds, 1) == 0 {
		return true, nil, c.remove(pods, o.(*corev1.Pod))
	}
	marked, err := meta.Accessor(o)
	if err != nil {
		return true, nil, err
	}
	if marked.GetDeletionTimestamp() == nil {
		marked.SetDeletionTimestamp(ptr.To(metav1.Now()))
	}
	return true, nil, c.update(resource, marked)
}

// removeDeleted removes deleted pods that their kubelet has terminated, then
// deleted claims that no pod uses, then deleted namespaces that are empty.
func (c *Cluster) removeDeleted() error {
	ending, err := c.endingNamespaces()
	if err != nil {
		return err
	}
	users, err := c.removePods(ending)
	if err != nil {
		return err
	}
	if err := errors.Join(c.removeClaims(ending, users), c.deallocate(users)); err != nil {
		return err
	}
	for _, namespace := range ending {
		if users[namespace.Name] > 0 || c.Mistakes.KeepsNamespaces {
			namespace.Status.Conditions = []corev1.NamespaceCondition{{
				Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: "some content is left",
			}}
			if err := c.update(namespaces, namespace); err != nil {
				return err
			}
			continue
		}
		if err := errors.Join(c.remove(accounts, defaultAccount(namespace.Name)), c.remove(namespaces, namespace)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) endingNamespaces() (map[string]*corev1.Namespace, error) {
	all, err := shared[corev1.Namespace](c, namespaces, "Namespace")
	ending := map[string]*corev1.Namespace{}
	for _, namespace := range all {
		if namespace.DeletionTimestamp != nil {
			ending[namespace.Name] = namespace.DeepCopy()
		}
	}
	return ending, err
}

// removePods removes deleted pods. Those on simulated nodes, which have no
// kubelet, stay until they are deleted by force or with their namespace. It returns
// the number of remaining pods by namespace, those that have not completed by UID and by
// namespace and name, and the PodGroups by UID.
func (c *Cluster) removePods(ending map[string]*corev1.Namespace) (map[string]int, error) {
	all, err := c.sharedPods()
	if err != nil {
		return nil, err
	}
	left := map[string]int{}
	if err := c.countGroups(ending, all, left); err != nil {
		return nil, err
	}
	for _, pod := range all {
		if ending[pod.Namespace] != nil && pod.DeletionTimestamp == nil {
			pod = pod.DeepCopy()
			pod.DeletionTimestamp = ptr.To(metav1.Now())
			if err := c.update(pods, pod); err != nil {
				return nil, err
			}
		}
		removed := false
		if hasKubelet := pod.Spec.NodeName == "" || !isForSimulatedNodes(pod) || ending[pod.Namespace] != nil; hasKubelet {
			if removed, err = c.removePod(pod, all); err != nil {
				return nil, err
			}
		}
		if removed {
			continue
		}
		left[pod.Namespace]++
		if c.Mistakes.KeepsClaimsOfCompleted {
			left[ownedBy+string(pod.UID)]++
		}
		if pod.DeletionTimestamp != nil && c.Mistakes.ReleasesEnding {
			continue
		}
		if completed := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed; !completed || c.Mistakes.HoldsForCompleted {
			left[string(pod.UID)]++
			left[key(pod).String()]++
		}
	}
	return left, nil
}

// removePod removes a pod if it is deleted and terminated. It reports whether it
// did.
func (c *Cluster) removePod(pod *corev1.Pod, all []*corev1.Pod) (bool, error) {
	if pod.DeletionTimestamp == nil || c.Mistakes.NeverStops || !c.due("stop pod", key(pod)) {
		return false, nil
	}
	terminated, err := c.terminate(pod.DeepCopy(), all)
	if err != nil || !terminated {
		return false, err
	}
	return true, c.remove(pods, pod)
}

func (c *Cluster) removeClaims(ending map[string]*corev1.Namespace, users map[string]int) error {
	all, err := c.sharedClaims()
	if err != nil {
		return err
	}
	for _, claim := range all {
		used := slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool {
			return !c.isGone(claim.Namespace, r, users)
		})
		protected := used && (!c.Mistakes.AddsNoFinalizers || claim.DeletionTimestamp == nil)
		protected = protected || c.Mistakes.KeepsDeleted && ending[claim.Namespace] == nil
		protected = protected || c.Mistakes.KeepsUnusedDeleted && len(claim.Status.ReservedFor) == 0 && slices.Contains(claim.Finalizers, resourceapi.Finalizer)
		if protected || claim.DeletionTimestamp == nil && ending[claim.Namespace] == nil && (c.Mistakes.KeepsOrphans || !isOrphaned(claim, users)) {
			continue
		}
		// Nothing has to happen before the API server removes deleted claims that are not allocated.
		collected := claim.DeletionTimestamp == nil && ending[claim.Namespace] == nil
		if collected && !c.hasObserved(c.Late.Collector, "end of owners", claim) || claim.Status.Allocation != nil && !c.hasObserved(c.Late.Controller, "end", claim) {
			continue
		}
		if err := c.endClaim(claim); err != nil {
			return err
		}
	}
	return nil
}

// endClaim removes a claim that nothing protects any more. If it has finalizers of others, it only
// deallocates the claim, and removes the one of Kubernetes.
func (c *Cluster) endClaim(claim *resourceapi.ResourceClaim) error {
	others := slices.DeleteFunc(slices.Clone(claim.Finalizers), func(f string) bool { return f == resourceapi.Finalizer })
	if len(others) == 0 || c.Mistakes.RemovesAllFinalizers {
		return errors.Join(c.remove(claims, claim), c.recount(claim.Namespace))
	}
	if claim.Status.Allocation == nil && len(others) == len(claim.Finalizers) {
		return nil
	}
	claim = claim.DeepCopy()
	claim.Status, claim.Finalizers = resourceapi.ResourceClaimStatus{}, others
	return c.update(claims, claim)
}
