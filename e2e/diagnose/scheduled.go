// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// scheduled gives the reason of a pod that is bound to a node. The kubelet lets the drivers prepare the claims before it
// makes the sandbox of the pod.
func (p *Pod) scheduled() bool {
	node := p.object.Spec.NodeName
	waits := p.waiting()
	switch {
	case node == "":
		return false
	case p.object.Status.Phase == corev1.PodRunning && len(waits) == 0:
		p.because(ReasonRunning, false, "the pod runs on node %s", node)
	case p.object.Status.Phase == corev1.PodRunning || len(waits) > 0 || p.hasSandbox():
		p.because(ReasonPrepared, false, "the pod is scheduled to node %s and its devices are prepared: its containers do not start for another reason%s",
			node, listed(waits))
	case len(p.Claims) == 0:
		p.because(ReasonNoClaims, false, "the pod is scheduled to node %s and requests no devices: the kubelet does not start it for another reason", node)
	default:
		p.because(ReasonWaitsDriver, true, "the pod is scheduled to node %s and its containers have not been started: "+
			"the kubelet starts them when %s prepared the claims", node, p.drivers())
	}
	return true
}

func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return ": " + strings.Join(items, ", ")
}

// waiting returns why containers wait that have a reason of their own, such as ImagePullBackOff.
func (p *Pod) waiting() []string {
	var all []string
	for _, status := range slices.Concat(p.object.Status.InitContainerStatuses, p.object.Status.ContainerStatuses) {
		if w := status.State.Waiting; w != nil && w.Reason != "" && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
			all = append(all, fmt.Sprintf("container %s waits with reason %s", status.Name, w.Reason))
		}
	}
	return all
}

func (p *Pod) hasSandbox() bool {
	return slices.ContainsFunc(p.object.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReadyToStartContainers && c.Status == corev1.ConditionTrue
	})
}

// drivers names the drivers of the allocated devices.
func (p *Pod) drivers() string {
	names := sets.New[string]()
	for _, claim := range p.claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			names.Insert(claim.Status.Allocation.Devices.Results[i].Driver)
		}
	}
	switch names.Len() {
	case 0:
		return "the drivers have"
	case 1:
		return "the driver " + names.UnsortedList()[0] + " has"
	}
	return "the drivers " + strings.Join(slices.Sorted(maps.Keys(names)), ", ") + " have"
}

// addEvents adds the last message of the kubelet about claims. Without the right to list events, it is left out.
func (c *Cluster) addEvents(ctx context.Context, p *Pod) {
	events, err := c.client.CoreV1().Events(p.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + p.Name})
	if err != nil {
		p.Notes = append(p.Notes, fmt.Sprintf("events of the pod are not known: %s", err))
		return
	}
	var last *corev1.Event
	for i := range events.Items {
		event := &events.Items[i]
		if event.InvolvedObject.UID == p.object.UID && event.Reason == "FailedPrepareDynamicResources" && (last == nil || last.LastTimestamp.Before(&event.LastTimestamp)) {
			last = event
		}
	}
	if last != nil {
		p.Reported = append(p.Reported, "kubelet: "+last.Message)
	}
}
