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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/e2e/internal/allocation"
	"github.com/draconform/draconform/fakedriver/publish"
)

// scheduler is the state of the scheduler.
type scheduler struct {
	faults []schedulerFault
	index  allocation.Index
	// published are the ResourceSlices, with the taints of DeviceTaintRules, as
	// of publishedAt changes.
	published   []*resourceapi.ResourceSlice
	publishedAt int
	// observed are the ResourceSlices that the scheduler has observed, by UID, if
	// it does so in another order than that of their creation.
	observed map[types.UID]bool
	// late is what the scheduler has observed, if it observes things late.
	late late
	// allocations counts the pods for which there was an allocation.
	allocations int
	// why are the reasons for which the last pod did not fit on nodes.
	why []string
	// unschedulable are the pods that did not fit, by UID.
	unschedulable map[types.UID]attempt
	// waiting are the pods that wait until their devices are ready, and the nodes
	// that they will be bound to, by UID.
	waiting map[types.UID]string
	// reserved are the pods for which claims were reserved and that could not be bound, by UID.
	reserved map[types.UID]bool
	// nodesOfClaims are the node selectors of the first allocations of claims, by UID, for a
	// scheduler that keeps them.
	nodesOfClaims map[types.UID]*corev1.NodeSelector
	// unknown are the shared devices with an unknown affinity value. They
	// accept no further claims until they are drained.
	unknown map[structured.DeviceID]bool
}

// attempt is an unsuccessful attempt to schedule a pod.
type attempt struct {
	// first is the time of the first attempt for the pod.
	first time.Time
	// changes is the number of relevant changes before the attempt.
	changes int
}

// allFeatures are the structured allocator's features of the newest release
// with all feature gates enabled.
var allFeatures = structured.Features{
	AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
	DeviceBindingAndStatus: true, ConsumableCapacity: true, ListTypeAttributes: true, OptionalNodeOperations: true,
	DerivedAttributes: true, CompatibilityGroups: true, FractionalCapacityRange: true,
}

func newScheduler(o *Options) (scheduler, error) {
	start := o.Allocator
	if start == nil {
		start = allocation.Bundled
	}
	index, err := start(allocator.Config{
		Features: allFeatures, SharingAffinity: !o.WithoutAffinity, PackSharingAffinity: !o.WithoutAffinity,
		Fixes: allocator.Fixes{SameSliceCounters: o.Form == publish.CountersWithDevices}, // as in Kubernetes 1.34
	})
	return scheduler{
		faults: schedulerFaults(o), index: index,
		publishedAt: -1, unschedulable: map[types.UID]attempt{}, waiting: map[types.UID]string{}, reserved: map[types.UID]bool{}, unknown: map[structured.DeviceID]bool{}, observed: map[types.UID]bool{}, nodesOfClaims: map[types.UID]*corev1.NodeSelector{},
		late: late{held: map[types.UID]*resourceapi.ResourceClaim{}, released: map[types.UID]time.Time{}},
	}, err
}

// schedule schedules the pods that are not bound to a node.
func (c *Cluster) schedule() error {
	all, err := c.sharedPods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		gated := len(pod.Spec.SchedulingGates) > 0 && !c.Mistakes.IgnoresGates
		if waitsForClaim(pod) || gated || pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || !c.due("schedule pod", key(pod)) {
			continue
		}
		node, waits := c.scheduler.waiting[pod.UID]
		switch {
		case waits:
			err = c.finishBinding(pod.DeepCopy(), node)
		case c.Mistakes.WaitsAlone && len(c.scheduler.waiting) > 0:
			continue
		default:
			err = c.schedulePod(pod.DeepCopy())
		}
		if err != nil {
			return fmt.Errorf("schedule pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// schedulePod schedules a pod. Like kube-scheduler, it retries an unschedulable
// pod only after a change.
func (c *Cluster) schedulePod(pod *corev1.Pod) error {
	changes := c.relevantChanges(pod)
	last, ok := c.scheduler.unschedulable[pod.UID]
	if ok && last.changes == changes && c.Mistakes.GivesInAfter == 0 {
		return nil
	}
	if c.Mistakes.KeepsExtendedClaims && pod.Status.ExtendedResourceClaimStatus != nil {
		return nil // The claim has the devices that the pod needs.
	}
	if c.lacksName(pod) {
		return nil
	}
	if deleted, err := c.deleteEarlier(pod); deleted || err != nil {
		return err
	}
	if c.lacksClaim(pod) {
		c.scheduler.unschedulable[pod.UID] = attempt{first: time.Now(), changes: changes}
		return nil
	}
	scene, all, err := c.scene(pod)
	if err != nil {
		return err
	}
	for _, fault := range c.scheduler.faults {
		if fault.input != nil {
			fault.input(scene)
		}
	}
	a, err := c.allocator(scene)
	if err != nil {
		return err
	}
	c.scheduler.why = nil
	chosen, err := c.allocateForGang(a, scene)
	if err != nil {
		if !isNoFit(err) {
			return err
		}
		c.scheduler.why = append(c.scheduler.why, err.Error())
	}
	if err != nil || chosen.node == nil {
		if !ok {
			last.first = time.Now()
		}
		last.changes = changes
		c.scheduler.unschedulable[pod.UID] = last
		return errors.Join(c.markUnschedulable(pod), c.moveUnused(pod, all), c.preempt(a, scene))
	}
	return c.place(pod, chosen, scene, all)
}

// place allocates the claims of a pod and binds the pod to the chosen node, unless a
// policy denies that. all are the claims of the pod, those included that were allocated
// before.
func (c *Cluster) place(pod *corev1.Pod, chosen choice, scene *Scene, all []*resourceapi.ResourceClaim) error {
	if chosen.extended != nil {
		scene.Claims = append(scene.Claims, chosen.extended.ResourceClaim)
	}
	for _, fault := range c.scheduler.faults {
		if fault.output != nil {
			fault.output(scene, chosen.results)
		}
	}
	for i, claim := range scene.Claims {
		if err := c.deniedByPolicy(claim); err != nil {
			return errors.Join(c.allocateUnbound(pod, scene.Claims[:i], chosen.results), c.failBinding(pod, err))
		}
	}
	for _, claim := range all {
		if err := c.deniedByPolicy(claim); err != nil && !c.isConsumer(claim, pod) {
			return c.failBinding(pod, err)
		}
	}
	if err := c.deniedBinding(pod); err != nil {
		c.scheduler.reserved[pod.UID] = true
		return errors.Join(c.writeUnbound(pod, chosen, scene.Claims), c.unreserveAll(all), c.failBinding(pod, err))
	}
	resources, _ := scene.resourcesOf(chosen.results)
	if c.Mistakes.MisstatesResources != nil {
		resources = c.Mistakes.MisstatesResources(resources)
	}
	pod.Status.NodeAllocatableResourceClaimStatuses = resources
	return c.bind(pod, chosen, all, scene.Claims)
}

// relevantChanges returns the number of changes that may make a pod schedulable.
func (c *Cluster) relevantChanges(pod *corev1.Pod) int {
	n := c.scheduler.late.observations
	for _, resource := range []schema.GroupVersionResource{slicesOf, taintRulesOf, classesOf, nodesOf, claims, pods} {
		overlooked := resource.Resource == c.Mistakes.Overlooks || resource.Resource == c.Mistakes.OverlooksForExtended && len(extendedResources(pod)) > 0
		if !overlooked {
			n += c.changes[resource]
		}
	}
	return n
}

func (c *Cluster) markUnschedulable(pod *corev1.Pod) error {
	if c.Mistakes.NeverReports {
		return nil
	}
	sentences := []string{fmt.Sprintf("0/%d nodes are available: %d cannot allocate all claims.", c.Nodes, c.Nodes)}
	for _, why := range slices.Compact(slices.Sorted(slices.Values(c.scheduler.why))) {
		sentences = append(sentences, why+".")
	}
	message := strings.Join(sentences, " ")
	reason := corev1.PodReasonUnschedulable
	switch {
	case c.OtherWords:
		reason = "DevicesNotAvailable"
	case c.FailsForPools && strings.Contains(message, "invalid resource pools"):
		reason = corev1.PodReasonSchedulerError
	}
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message})
	if err := c.update(pods, pod); err != nil {
		return err
	}
	return c.recordEvent(pod, failedScheduling, message)
}

// setCondition sets the condition of a pod. Pods have only one condition here.
func setCondition(pod *corev1.Pod, condition corev1.PodCondition) {
	if len(pod.Status.Conditions) == 1 && pod.Status.Conditions[0] == condition {
		return
	}
	pod.Status.Conditions = []corev1.PodCondition{condition}
}
