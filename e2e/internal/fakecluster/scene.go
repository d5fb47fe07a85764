package fakecluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/state"
)

// allFeatures are the structured allocator's features of the newest release
// with all feature gates enabled.
var allFeatures = structured.Features{
	AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
	DeviceBindingAndStatus: true, ConsumableCapacity: true, ListTypeAttributes: true,
}

// Scene is the input of the scheduler for a pod that can run on nodes that
// specs simulate, or on those of multi-host devices.
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
}

// onStage reports whether a pod is for simulated nodes.
func onStage(pod *corev1.Pod) bool { return len(pod.Spec.NodeSelector) > 0 }

// scheduleOnStage schedules a pod with the bundled allocator. As in the real
// scheduler, an unschedulable pod is retried only after a change.
func (c *Cluster) scheduleOnStage(pod *corev1.Pod) error {
	if at, ok := c.refusedAt[pod.UID]; ok && at == c.changes {
		return nil
	}
	scene, all, err := c.scene(pod)
	if err != nil {
		return err
	}
	if c.Mistakes.Misreads != nil {
		c.Mistakes.Misreads(scene)
	}
	holders := scene.Objects.Claims
	if !scene.Forgetful {
		gone, err := c.stillUnknown(scene.Objects)
		if err != nil {
			return err
		}
		holders = slices.Concat(holders, gone)
	}
	index := allocator.NewIndex(allocator.Config{Features: allFeatures, SharingAffinity: !c.WithoutAffinity, PackSharingAffinity: !c.WithoutAffinity})
	index.Update(scene.Objects.Slices)
	a := index.AllocatorWithAffinity(scene.Objects.AllocatedState(allFeatures), allocator.NewAffinityState(holders), scene.Objects.ClassLister())
	var node *corev1.Node
	var results []resourceapi.AllocationResult
	for _, candidate := range scene.Nodes {
		got, err := a.Allocate(context.Background(), candidate, scene.Claims)
		if err != nil && !errors.Is(err, structured.ErrFailedAllocationOnNode) {
			return c.refuseOnStage(pod)
		}
		// The scheduler prefers the node with the best-ranked subrequests, then
		// the node where more of the devices are already shared.
		if got != nil && (node == nil || cmp.Or(
			cmp.Compare(demerits(scene.Claims, got), demerits(scene.Claims, results)), cmp.Compare(scene.joined(results), scene.joined(got)),
		) < 0) {
			node, results = candidate, got
		}
	}
	if node == nil {
		return c.refuseOnStage(pod)
	}
	if c.Mistakes.Miswrites != nil {
		c.Mistakes.Miswrites(scene, results)
	}
	for _, claim := range scene.Claims {
		if err := c.refusesStatus(claim); err != nil {
			return c.fail(pod, err)
		}
	}
	return c.bind(pod, node, all, scene.Claims, results)
}

func (c *Cluster) refuseOnStage(pod *corev1.Pod) error {
	c.refusedAt[pod.UID] = c.changes
	return c.refuse(pod)
}

// scene returns the scheduler's input for a pod, and all claims of the pod.
func (c *Cluster) scene(pod *corev1.Pod) (*Scene, []*resourceapi.ResourceClaim, error) {
	s := &Scene{Pod: pod, Restarts: c.restarts[restartable{what: "scheduler"}]}
	stored, slicesErr := c.slices()
	classes, classesErr := c.classes()
	claims, claimsErr := c.claims()
	nodes, nodesErr := listOf[corev1.Node](c, nodesOf, "Node")
	if err := errors.Join(slicesErr, classesErr, claimsErr, nodesErr); err != nil {
		return nil, nil, err
	}
	for _, slice := range stored {
		s.Objects.Add(slice)
	}
	for _, class := range classes {
		s.Objects.Add(class)
	}
	var own []*resourceapi.ResourceClaim
	for name := range resourceclaim.PodClaims(pod) {
		i := slices.IndexFunc(claims, func(claim *resourceapi.ResourceClaim) bool {
			return claim.Namespace == pod.Namespace && claim.Name == name
		})
		if i < 0 {
			return nil, nil, fmt.Errorf("claim %s is not there", name)
		}
		own = append(own, claims[i])
	}
	for _, claim := range claims {
		if claim.Status.Allocation != nil {
			s.Objects.Add(claim)
			continue
		}
		s.Unallocated = append(s.Unallocated, claim)
		if slices.Contains(own, claim) {
			s.Claims = append(s.Claims, claim)
		}
	}
	for _, node := range nodes {
		if c.mayGoTo(pod, node, own) {
			s.Nodes = append(s.Nodes, node)
		}
	}
	return s, own, nil
}

// mayGoTo reports whether the pod's node affinity, its anti-affinity and the
// node selectors of its allocated claims permit a node.
func (c *Cluster) mayGoTo(pod *corev1.Pod, node *corev1.Node, claims []*resourceapi.ResourceClaim) bool {
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !ok || c.keepsApart(pod, node) {
		return false
	}
	return !slices.ContainsFunc(claims, func(claim *resourceapi.ResourceClaim) bool {
		if claim.Status.Allocation == nil || claim.Status.Allocation.NodeSelector == nil {
			return false
		}
		selector, err := nodeaffinity.NewNodeSelector(claim.Status.Allocation.NodeSelector)
		return err != nil || !selector.Match(node)
	})
}

// keepsApart reports whether the pod's anti-affinity excludes a node.
func (c *Cluster) keepsApart(pod *corev1.Pod, node *corev1.Node) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return false
	}
	label := pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector.MatchLabels
	others, err := c.pods()
	return err != nil || slices.ContainsFunc(others, func(other *corev1.Pod) bool {
		for key, value := range label {
			if other.Labels[key] != value {
				return false
			}
		}
		return other.Spec.NodeName == node.Name
	})
}

// demerits returns the sum of the positions of the chosen subrequests in their
// lists.
func demerits(claims []*resourceapi.ResourceClaim, results []resourceapi.AllocationResult) int {
	sum := 0
	for i, claim := range claims {
		for _, request := range claim.Spec.Devices.Requests {
			for rank, alternative := range request.FirstAvailable {
				if slices.ContainsFunc(results[i].Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
					return r.Request == request.Name+"/"+alternative.Name
				}) {
					sum += rank
				}
			}
		}
	}
	return sum
}

// joined returns the number of results whose devices are already allocated to
// other claims.
func (s *Scene) joined(results []resourceapi.AllocationResult) int {
	inUse := map[holding]bool{}
	for _, claim := range s.Objects.Claims {
		for _, held := range holdings(claim) {
			inUse[held] = true
		}
	}
	n := 0
	for _, result := range results {
		for _, r := range result.Devices.Results {
			if inUse[holding{r.Pool, r.Device}] {
				n++
			}
		}
	}
	return n
}

// bind stores the allocations, reserves all claims of the pod and binds it to
// the node.
func (c *Cluster) bind(pod *corev1.Pod, node *corev1.Node, all, allocated []*resourceapi.ResourceClaim, results []resourceapi.AllocationResult) error {
	for i, claim := range allocated {
		claim.Status.Allocation = &results[i]
	}
	for _, claim := range all {
		addUser(claim, pod)
		if err := c.update(claims, claim); err != nil {
			return err
		}
	}
	pod.Spec.NodeName = node.Name
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return c.update(pods, pod)
}

// deallocate removes deleted pods from reservedFor and deallocates claims that
// no pod uses any more. left contains the UIDs of the remaining pods.
func (c *Cluster) deallocate(left map[string]int) error {
	all, err := c.claims()
	if err != nil {
		return err
	}
	for _, claim := range all {
		if claim.Status.Allocation == nil {
			continue
		}
		users := slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor), func(r resourceapi.ResourceClaimConsumerReference) bool { return left[string(r.UID)] == 0 })
		if len(users) == len(claim.Status.ReservedFor) {
			continue
		}
		claim.Status.ReservedFor = users
		if (len(users) == 0 || c.Mistakes.ReleasesEarly) && !c.Mistakes.KeepsCounters {
			claim.Status = resourceapi.ResourceClaimStatus{}
		}
		if err := c.update(claims, claim); err != nil {
			return err
		}
	}
	return nil
}
