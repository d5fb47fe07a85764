// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// Neighbours returns why neighbours are responsible for a failure of a spec. It
// is empty if they are not, or if that is not certain. They are responsible if
// the failure is about a pod that is not scheduled, and if its claims would fit
// on a node without the claims of others, or did fit until the node became
// unusable or full. Devices that claims of this run hold are no excuse.
func (g *Guest) Neighbours(ctx context.Context, e *env.Env, failure string) string {
	pending, claims, err := pods.ListUnscheduled(ctx, e, failure)
	if err != nil || len(pending) == 0 {
		return ""
	}
	s, err := takeSnapshot(ctx, e.Client)
	if err != nil {
		return ""
	}
	for i := range pending {
		if why := g.inTheWay(ctx, e, s, &pending[i], claimsOf(&pending[i], claims)); why != "" {
			return why
		}
	}
	return ""
}

// claimsOf returns the claims of a pod.
func claimsOf(pod *corev1.Pod, claims []*resourceapi.ResourceClaim) []*resourceapi.ResourceClaim {
	names := pods.ClaimNames(pod)
	return slices.DeleteFunc(slices.Clone(claims), func(claim *resourceapi.ResourceClaim) bool { return !slices.Contains(names, claim.Name) })
}

// inTheWay returns what of others keeps a pod from being scheduled.
func (g *Guest) inTheWay(ctx context.Context, e *env.Env, s *snapshot, pod *corev1.Pod, claims []*resourceapi.ResourceClaim) string {
	pending := slices.DeleteFunc(slices.Clone(claims), func(claim *resourceapi.ResourceClaim) bool { return claim.Status.Allocation != nil })
	allocated := slices.DeleteFunc(slices.Clone(claims), func(claim *resourceapi.ResourceClaim) bool { return claim.Status.Allocation == nil })
	everybody := func(*resourceapi.ResourceClaim) bool { return true }
	var candidates []*corev1.Node
	for _, node := range s.objects.Nodes {
		suits, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
		if err != nil || !suits || slices.ContainsFunc(allocated, func(claim *resourceapi.ResourceClaim) bool { return !audit.Covers(claim.Status.Allocation, node) }) {
			continue
		}
		if fit, err := s.fits(ctx, node, g.isOurs, pending...); fit && err == nil {
			candidates = append(candidates, node)
		}
	}
	offered, err := s.offered(ctx, driverOf(e, pending))
	if err != nil {
		return ""
	}
	reason := ""
	for _, node := range candidates {
		why := unusable(e, node, pod)
		fit, err := s.fits(ctx, node, everybody, pending...)
		switch {
		case err != nil:
			return ""
		case why != "" && slices.Contains(g.usable, node.Name) && e.Nodes == nil:
			reason = fmt.Sprintf("node %s became unusable while the spec ran: %s", node.Name, why)
		case why != "":
		case !fit:
			reason = fmt.Sprintf("its devices on node %s are held by %s", node.Name, describeClaims(s.holding(node, offered, g.isOther)))
		case isFull(pod):
			reason = fmt.Sprintf("node %s, which has its devices, is full: %s", node.Name, pods.Condition(pod, corev1.PodScheduled).Message)
		default:
			return "" // Nothing keeps the pod off this node.
		}
	}
	if reason == "" {
		return ""
	}
	return fmt.Sprintf("pod %s could not be scheduled, because %s", pod.Name, reason)
}

// unusable states why a pod cannot run on a node.
func unusable(e *env.Env, node *corev1.Node, pod *corev1.Pod) string {
	return e.Guest.UnusableFor(node, pod.Spec.NodeSelector, pod.Spec.Tolerations)
}

// driverOf returns the driver whose devices claims request.
func driverOf(e *env.Env, claims []*resourceapi.ResourceClaim) string {
	for _, claim := range claims {
		for _, request := range claim.Spec.Devices.Requests {
			if request.Exactly != nil {
				return e.Subject.DriverOfClass(request.Exactly.DeviceClassName)
			}
			for _, alternative := range request.FirstAvailable {
				return e.Subject.DriverOfClass(alternative.DeviceClassName)
			}
		}
	}
	return ""
}

// fullMessages are parts of the scheduler's message about a node without room
// for a pod. The scheduler's plugin NodeResourcesFit has them.
var fullMessages = []string{"Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage", "Too many pods"}

// isFull reports whether the scheduler found nodes without room for a pod.
func isFull(pod *corev1.Pod) bool {
	message := pods.Condition(pod, corev1.PodScheduled).Message
	return slices.ContainsFunc(fullMessages, func(part string) bool { return strings.Contains(message, part) })
}
