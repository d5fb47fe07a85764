// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reason is why a pod does not run.
type Reason string

// Reasons. The devices of the cluster are the cause only of some of them, see [Pod.Devices].
const (
	ReasonEnded         Reason = "Ended"
	ReasonRunning       Reason = "Running"
	ReasonPrepared      Reason = "DevicesPrepared"     // Something else keeps the containers from starting.
	ReasonWaitsDriver   Reason = "WaitsForDriver"      // The kubelet lets drivers prepare the claims.
	ReasonGated         Reason = "SchedulingGated"     // The scheduler does not try the pod.
	ReasonNoClaims      Reason = "NoClaims"            // The pod requests no devices.
	ReasonClaimMissing  Reason = "ClaimMissing"        // A claim does not exist, or must not be used.
	ReasonClaimInUse    Reason = "ClaimInUse"          // A claim is reserved for as many pods as possible.
	ReasonClassMissing  Reason = "DeviceClassMissing"  // A DeviceClass does not exist.
	ReasonWaitsBinding  Reason = "WaitsForConditions"  // Devices have binding conditions that are not true.
	ReasonClaimsHere    Reason = "ClaimsAllocated"     // All claims are allocated, and can be used on nodes of the pod.
	ReasonOtherNodes    Reason = "AllocatedElsewhere"  // The claims' devices are on nodes that the pod may not go to.
	ReasonNodesExcluded Reason = "NodesExcluded"       // Only nodes have the devices that the pod may not go to.
	ReasonNoDevices     Reason = "DevicesNotAvailable" // No node has the devices.
	ReasonAvailable     Reason = "DevicesAvailable"    // A node of the pod has the devices.
)

// Pod is why a pod does not run.
type Pod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Reason    Reason `json:"reason"`
	// Devices states that the reason is about devices, claims or their drivers.
	Devices bool `json:"devices"`
	// Message describes the reason in a sentence.
	Message string `json:"message"`
	// Reported is what the scheduler and the kubelet report.
	Reported []string `json:"reported,omitempty"`
	Claims   []Claim  `json:"claims,omitempty"`
	// Nodes are all nodes, in groups with the same result, those with devices first.
	Nodes []NodeGroup `json:"nodes,omitempty"`
	Notes []string    `json:"notes,omitempty"`

	object *corev1.Pod
	claims []*resourceapi.ResourceClaim
	// extended is the claim that the scheduler would create for extended resources, or nil.
	extended *resourceapi.ResourceClaim
}

// Claim is a claim of a pod.
type Claim struct {
	// Name is the name in the pod's spec, or empty for extended resources.
	Name string `json:"name,omitempty"`
	// Claim is "namespace/name", or empty if it does not exist.
	Claim    string `json:"claim,omitempty"`
	Template string `json:"template,omitempty"`
	// State describes the claim in a few words.
	State string `json:"state"`
	// Allocated are the devices as "driver/pool/device".
	Allocated []string `json:"allocated,omitempty"`
}

// Pod explains why a pod does not run. If it waits for devices, the claims that are not allocated are tried on each node,
// or on the given one.
func (c *Cluster) Pod(ctx context.Context, namespace, name, node string) (*Pod, error) {
	object, err := c.client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get pod %s/%s: %w", namespace, name, err)
	}
	p := &Pod{Namespace: namespace, Name: name, object: object, Notes: slices.Clone(c.Notes)}
	p.reported()
	missing := c.readClaims(ctx, p)
	switch {
	case p.ended() || p.scheduled():
		if p.Reason == ReasonWaitsDriver {
			c.addEvents(ctx, p)
		}
	case len(object.Spec.SchedulingGates) > 0:
		p.because(ReasonGated, false, "it has the scheduling gates %s, which have to be removed before the scheduler tries the pod", gatesOf(object))
	case missing != "":
		p.because(ReasonClaimMissing, true, "%s", missing)
	case len(p.Claims) == 0:
		p.because(ReasonNoClaims, false, "the pod requests no devices: its reason is another one")
	case c.unusable(p):
	default:
		return p, c.place(ctx, p, node)
	}
	return p, nil
}

func (p *Pod) because(reason Reason, devices bool, format string, args ...any) {
	p.Reason, p.Devices, p.Message = reason, devices, fmt.Sprintf(format, args...)
}

// reported adds the conditions that say why the pod waits.
func (p *Pod) reported() {
	for _, condition := range p.object.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse && condition.Message != "" {
			p.Reported = append(p.Reported, "scheduler: "+condition.Message)
		}
	}
}

func gatesOf(pod *corev1.Pod) string {
	var names []string
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return strings.Join(names, ", ")
}

// ended gives the reason of a pod that no longer runs.
func (p *Pod) ended() bool {
	phase := p.object.Status.Phase
	if p.object.DeletionTimestamp != nil {
		p.because(ReasonEnded, false, "the pod is being deleted")
	} else if phase == corev1.PodSucceeded || phase == corev1.PodFailed {
		p.because(ReasonEnded, false, "the pod has ended: %s", phase)
	}
	return p.Reason != ""
}

// unusable gives the reason of a pod whose claims no node can satisfy, whatever its devices.
func (c *Cluster) unusable(p *Pod) bool {
	for _, claim := range p.claims {
		if n := len(claim.Status.ReservedFor); n >= resourceapi.ResourceClaimReservedForMaxSize && !reservedFor(claim, p.object) {
			p.because(ReasonClaimInUse, true, "claim %s is reserved for %d pods, which is the maximum: one of them has to end", ClaimName(claim), n)
			return true
		}
		if missing := c.missingClass(claim); missing != "" && claim.Status.Allocation == nil {
			p.because(ReasonClassMissing, true, "%s", missing)
			return true
		}
	}
	return false
}

func reservedFor(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool { return r.UID == pod.UID })
}

// missingClass names the first request or alternative whose DeviceClass does not exist. The scheduler rejects a pod even if
// only one of the alternatives lacks its class.
func (c *Cluster) missingClass(claim *resourceapi.ResourceClaim) string {
	check := func(request, class string) string {
		if _, err := c.Objects.ClassLister().Get(class); err != nil {
			return fmt.Sprintf("claim %s, request %s: DeviceClass %q does not exist", ClaimName(claim), request, class)
		}
		return ""
	}
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if request.Exactly != nil {
			if missing := check(request.Name, request.Exactly.DeviceClassName); missing != "" {
				return missing
			}
		}
		for j := range request.FirstAvailable {
			if missing := check(request.Name+"/"+request.FirstAvailable[j].Name, request.FirstAvailable[j].DeviceClassName); missing != "" {
				return missing
			}
		}
	}
	return ""
}
