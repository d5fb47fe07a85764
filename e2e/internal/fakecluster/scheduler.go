package fakecluster

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// schedule schedules the pods that are not bound to a node.
func (c *Cluster) schedule() error {
	all, err := c.pods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		if waitsForClaim(pod) {
			continue
		}
		if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || !c.due("schedule pod", key(pod)) {
			continue
		}
		one := c.scheduleOne
		if onStage(pod) || c.Bundled || c.TPU != "" || c.NIC != "" {
			one = c.scheduleOnStage
		}
		if err := one(pod); err != nil {
			return fmt.Errorf("schedule pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

func (c *Cluster) scheduleOne(pod *corev1.Pod) error {
	claim, err := c.claimOf(pod)
	if err != nil {
		return err
	}
	if claim.Status.Allocation != nil {
		return c.join(pod, claim)
	}
	node, devices, err := c.allocate(pod, claim, c.givesIn(pod))
	if err != nil {
		return err
	}
	if devices == nil {
		return c.refuse(pod)
	}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: *devices, NodeSelector: nodeNamed(node)}
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
	if err := c.update(claims, claim); err != nil {
		return err
	}
	pod.Spec.NodeName = node
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return c.update(pods, pod)
}

// nodeNamed returns a node selector for one node. Here, every device is local
// to a node.
func nodeNamed(node string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
		{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
	}}}}
}

// join schedules a pod to the node of its allocated claim and reserves the
// claim.
func (c *Cluster) join(pod *corev1.Pod, claim *resourceapi.ResourceClaim) error {
	node := claim.Status.Allocation.Devices.Results[0].Pool
	if !mayRunOn(pod, node) {
		return c.refuse(pod)
	}
	addUser(claim, pod)
	if err := c.update(claims, claim); err != nil {
		return err
	}
	pod.Spec.NodeName = node
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return c.update(pods, pod)
}

func (c *Cluster) refuse(pod *corev1.Pod) error {
	if c.Mistakes.NeverReports {
		return nil
	}
	c.due("refuse pod", key(pod)) // records the time of the first call
	message := fmt.Sprintf("0/%d nodes are available: %d cannot allocate all claims.", c.Nodes, c.Nodes)
	setCondition(pod, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
	})
	if err := c.update(pods, pod); err != nil {
		return err
	}
	return c.tell(pod, "FailedScheduling", message)
}

// givesIn reports whether the pod has been unschedulable for at least
// GivesInAfter.
func (c *Cluster) givesIn(pod *corev1.Pod) bool {
	since, ok := c.since["refuse pod "+key(pod).String()]
	return ok && c.Mistakes.GivesInAfter > 0 && time.Since(since) >= c.Mistakes.GivesInAfter
}

// setCondition sets the condition of a pod. Pods have only one condition here.
func setCondition(pod *corev1.Pod, condition corev1.PodCondition) {
	if len(pod.Status.Conditions) == 1 && pod.Status.Conditions[0].Status == condition.Status {
		return
	}
	pod.Status.Conditions = []corev1.PodCondition{condition}
}
