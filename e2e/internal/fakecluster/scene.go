// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/allocator/state"
)

// Scene is the input of the scheduler for a pod.
type Scene struct {
	Pod *corev1.Pod
	// Claims are the claims of the pod that are not allocated.
	Claims []*resourceapi.ResourceClaim
	// Nodes are the nodes that the pod can run on, in the order of preference.
	Nodes []*corev1.Node
	// Objects are the ResourceSlices, the DeviceClasses and the allocated
	// claims of the cluster.
	Objects state.Objects
	// Unallocated are the claims of the cluster that are not allocated.
	Unallocated []*resourceapi.ResourceClaim
	// Forgetful is set for a scheduler that does not remember deallocated
	// claims.
	Forgetful bool
	// Restarts is the number of restarts of the scheduler.
	Restarts int
	// own are all claims of the pod, and bound the pods that are bound to nodes.
	own   []*resourceapi.ResourceClaim
	bound []*corev1.Pod
	// pluginUse is how much of the extended resources of device plugins is in use,
	// by node.
	pluginUse map[string]map[corev1.ResourceName]int64
	// unschedulableFor is the time since the first attempt to schedule the pod.
	unschedulableFor time.Duration
}

// scene returns the scheduler's input for a pod, and all claims of the pod.
func (c *Cluster) scene(pod *corev1.Pod) (*Scene, []*resourceapi.ResourceClaim, error) {
	s := &Scene{Pod: pod, Restarts: c.restarts[component{name: "scheduler"}]}
	if last, ok := c.scheduler.unschedulable[pod.UID]; ok {
		s.unschedulableFor = time.Since(last.first)
	}
	observed, offersErr := c.observedOffers()
	claims, claimsErr := c.claims()
	scheduled, podsErr := c.sharedPods()
	if err := errors.Join(offersErr, claimsErr, podsErr); err != nil {
		return nil, nil, err
	}
	s.bound = slices.DeleteFunc(slices.Clone(scheduled), func(pod *corev1.Pod) bool { return pod.Spec.NodeName == "" })
	s.Objects.Slices, s.Objects.Classes = observed.slices, observed.classes
	if len(extendedResources(pod)) > 0 {
		s.pluginUse = pluginUse(scheduled)
	}
	var own []*resourceapi.ResourceClaim
	for name := range resourceclaim.PodClaims(pod) {
		i := slices.IndexFunc(claims, func(claim *resourceapi.ResourceClaim) bool {
			return claim.Namespace == pod.Namespace && claim.Name == name
		})
		if i < 0 && c.Mistakes.SkipsAbsent {
			continue
		}
		if i < 0 {
			return nil, nil, fmt.Errorf("claim %s does not exist", name)
		}
		own = append(own, claims[i])
	}
	s.own = own
	for _, claim := range claims {
		if claim.Status.Allocation != nil {
			s.Objects.Claims = append(s.Objects.Claims, claim)
			continue
		}
		s.Unallocated = append(s.Unallocated, claim)
		if slices.Contains(own, claim) {
			s.Claims = append(s.Claims, claim)
		}
	}
	s.Objects.Claims = append(s.Objects.Claims, c.stillHeld(own)...)
	for _, node := range observed.nodes {
		if c.isFeasible(pod, node, own) {
			s.Nodes = append(s.Nodes, node)
		}
	}
	return s, own, nil
}

// publishedSlices returns the ResourceSlices with the taints that
// DeviceTaintRules add to them. They are the same objects until a slice or a
// rule changes, so that the index of the allocator remains valid. For a
// scheduler with faults, which change the slices, they are copies.
func (c *Cluster) publishedSlices() ([]*resourceapi.ResourceSlice, error) {
	s, changes := &c.scheduler, c.changes[slicesOf]+c.changes[taintRulesOf]
	if s.publishedAt == changes && len(s.faults) == 0 {
		return s.published, nil
	}
	published, slicesErr := c.slices()
	if c.ShufflesSlices {
		published = slices.DeleteFunc(published, func(slice *resourceapi.ResourceSlice) bool { return !s.observed[slice.UID] })
	}
	rules, rulesErr := c.taintRules()
	for _, rule := range rules {
		if c.Mistakes.MisreadsRules != nil {
			c.Mistakes.MisreadsRules(rule)
		}
	}
	addTaints(published, rules)
	s.published, s.publishedAt = published, changes
	return published, errors.Join(slicesErr, rulesErr)
}

// observationDelay is the time after which a scheduler observes each second new
// ResourceSlice, if it shuffles them.
const observationDelay = 1500 * time.Millisecond

// observeSlices makes a scheduler that shuffles ResourceSlices observe those that
// are due.
func (c *Cluster) observeSlices() error {
	if !c.ShufflesSlices {
		return nil
	}
	all, err := shared[resourceapi.ResourceSlice](c, slicesOf, "ResourceSlice")
	for _, slice := range all {
		first, known := c.since["observe slice "+slice.Name]
		if !known {
			first = time.Now()
			c.since["observe slice "+slice.Name] = first
		}
		late := strings.HasSuffix(slice.Name, "0") || strings.HasSuffix(slice.Name, "2") || strings.HasSuffix(slice.Name, "4")
		if !c.scheduler.observed[slice.UID] && (!late || time.Since(first) >= observationDelay) {
			c.scheduler.observed[slice.UID] = true
			c.changes[slicesOf]++
		}
	}
	return err
}

// isFeasible reports whether a node permits the pod and has room for it.
func (c *Cluster) isFeasible(pod *corev1.Pod, node *corev1.Node, claims []*resourceapi.ResourceClaim) bool {
	return c.isPermitted(pod, node, claims) && !c.isFull(pod, node)
}

// isPermitted reports whether a node is open for the pod, and whether the pod's
// node affinity, its anti-affinity and its allocated claims permit the node: their
// node selectors, their consumers, and the failures and node operations of their
// devices.
func (c *Cluster) isPermitted(pod *corev1.Pod, node *corev1.Node, claims []*resourceapi.ResourceClaim) bool {
	_, tainted := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }, false)
	if node.Spec.Unschedulable || tainted {
		return false
	}
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !ok || c.violatesAntiAffinity(pod, node) {
		return false
	}
	return !slices.ContainsFunc(claims, func(claim *resourceapi.ResourceClaim) bool {
		if claim.Status.Allocation == nil {
			return false
		}
		_, failed := c.readiness(claim.DeepCopy())
		if failed || c.isUsedUp(claim, pod) || !c.canSkipOperations(node, claim) {
			return true
		}
		selected := c.nodesOfClaim(claim)
		if selected == nil {
			return false
		}
		terms := selected.NodeSelectorTerms
		if c.Mistakes.ReadsFirstTermOnly {
			terms = terms[:1]
		}
		selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: terms})
		return err != nil || !selector.Match(node)
	})
}

// nodesOfClaim returns the node selector of an allocated claim, as the scheduler knows it.
func (c *Cluster) nodesOfClaim(claim *resourceapi.ResourceClaim) *corev1.NodeSelector {
	selected := claim.Status.Allocation.NodeSelector
	if !c.Mistakes.KeepsNodesOfClaims {
		return selected
	}
	if first, ok := c.scheduler.nodesOfClaims[claim.UID]; ok {
		return first
	}
	c.scheduler.nodesOfClaims[claim.UID] = selected
	return selected
}

// violatesAntiAffinity reports whether the pod's anti-affinity excludes a node.
func (c *Cluster) violatesAntiAffinity(pod *corev1.Pod, node *corev1.Node) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return false
	}
	label := pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector.MatchLabels
	others, err := c.sharedPods()
	return err != nil || slices.ContainsFunc(others, func(other *corev1.Pod) bool {
		for key, value := range label {
			if other.Labels[key] != value {
				return false
			}
		}
		return other.Spec.NodeName == node.Name
	})
}

// canSkipOperations reports whether the kubelet of a node can skip the operations
// for the devices of an allocated claim that need not be performed (KEP-5945).
func (c *Cluster) canSkipOperations(node *corev1.Node, claim *resourceapi.ResourceClaim) bool {
	results := claim.Status.Allocation.Devices.Results
	if c.Mistakes.ReadsFirstOperations {
		results = results[:1]
	}
	ignored := c.Mistakes.IgnoresDeclaredFeatures || c.Mistakes.IgnoresFeaturesOfSelected && claim.Status.Allocation.NodeSelector != nil
	return ignored || slices.Contains(node.Status.DeclaredFeatures, "DRAOptionalNodeOperations") ||
		!slices.ContainsFunc(results, func(r resourceapi.DeviceRequestAllocationResult) bool { return len(r.SkipNodeOperations) > 0 })
}
