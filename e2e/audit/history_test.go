// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// history is a simulated history of a cluster: the current objects and the
// views of the views.
type history struct {
	audit.View
	views []audit.View
	// unseen states that states of the slices and nodes may have been missed.
	unseen bool
}

// newHistory returns the history of a cluster with two nodes after one view.
func newHistory(all ...resourceapi.ResourceSlice) *history {
	h := &history{View: audit.View{
		At:         time.Unix(1_700_000_000, 0),
		Classes:    []resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu", UID: "gpu"}, Spec: resourceapi.DeviceClassSpec{Selectors: selectors(`device.driver == "gpu.example.com"`)}}},
		Nodes:      []corev1.Node{node("n1", "0"), node("n2", "1")},
		Namespaces: []corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "ns"}}},
	}}
	h.offer(all...)
	h.unseen = true // What was before is not known.
	h.read()
	h.unseen = false
	return h
}

func node(name, host string) corev1.Node {
	return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"host": host}}}
}

// offer replaces all slices. Their names and UIDs are derived from their
// positions.
func (h *history) offer(all ...resourceapi.ResourceSlice) {
	for i := range all {
		all[i].Name = fmt.Sprintf("slice-%d", i)
		all[i].UID = types.UID(all[i].Name)
	}
	h.Slices = all
}

// read records a view of the current objects and advances the time by a second.
func (h *history) read() {
	h.views = append(h.views, audit.View{
		At: h.At, Claims: copied(h.Claims), Slices: copied(h.Slices), Classes: copied(h.Classes),
		Nodes: copied(h.Nodes), Namespaces: copied(h.Namespaces), Pods: copied(h.Pods), TaintRules: copied(h.TaintRules),
		Earlier: h.Earlier, Offered: h.Offered, Seamless: !h.unseen, Labelled: h.Labelled, SeamlessNodes: !h.unseen,
	})
	h.Earlier, h.Offered, h.Labelled = nil, nil, nil
	h.At = h.At.Add(time.Second)
}

// pass records the current objects as a state that only the watch reports.
func (h *history) pass() {
	h.Earlier = append(h.Earlier, pointersTo(copied(h.Claims)))
	h.Offered = append(h.Offered, pointersTo(copied(h.Slices)))
	h.Labelled = append(h.Labelled, pointersTo(copied(h.Nodes)))
}

func pointersTo[T any](all []T) []*T {
	var to []*T
	for i := range all {
		to = append(to, &all[i])
	}
	return to
}

// settle advances the time so that earlier states no longer count.
func (h *history) settle() {
	h.read()
	h.read()
	h.At = h.At.Add(audit.DefaultLag)
	h.read()
}

func copied[T any, P interface {
	*T
	DeepCopy() *T
}](all []T) []T {
	c := make([]T, len(all))
	for i := range all {
		c[i] = *P(&all[i]).DeepCopy()
	}
	return c
}

// put adds or replaces a claim.
func (h *history) put(c resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	if c.UID == "" {
		c.UID = types.UID(c.Name)
	}
	i := slices.IndexFunc(h.Claims, func(old resourceapi.ResourceClaim) bool { return old.Name == c.Name })
	if i < 0 {
		h.Claims = append(h.Claims, c)
		i = len(h.Claims) - 1
	}
	h.Claims[i] = c
	return &h.Claims[i]
}

// allocate adds a view before and a view after the allocation of a claim.
func (h *history) allocate(c resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	before := *c.DeepCopy()
	before.Status = resourceapi.ResourceClaimStatus{}
	h.put(before)
	h.read()
	decided := h.put(c)
	h.read()
	return decided
}

// alarms returns the alarms of an auditor for all views.
func (h *history) alarms(ctx context.Context, config audit.Config) []audit.Alarm {
	a := audit.New(config)
	var all []audit.Alarm
	for _, view := range h.views {
		all = append(all, a.Audit(ctx, view)...)
	}
	return all
}

// onNode assigns a slice to a node.
func onNode(name string) func(*resourceapi.ResourceSliceSpec) {
	return func(s *resourceapi.ResourceSliceSpec) { s.NodeName = &name }
}

// local returns the only slice of node n1's pool.
func local(all ...resourceapi.Device) resourceapi.ResourceSlice {
	return slice("n1", onNode("n1"), makeDevices(all...))
}

// asking returns a claim with requests that is allocated devices of node n1. A
// result without a request name belongs to a request for one device.
func asking(name string, requests []resourceapi.DeviceRequest, all ...resourceapi.DeviceRequestAllocationResult) resourceapi.ResourceClaim {
	c := claim(name, all...)
	c.Spec.Devices.Requests = requests
	c.Status.Allocation.NodeSelector = nodeNamed("n1")
	return c
}

// one returns a claim for one device with its allocation.
func one(name string, result resourceapi.DeviceRequestAllocationResult) resourceapi.ResourceClaim {
	return asking(name, []resourceapi.DeviceRequest{request("request", 1)}, result)
}

func nodeNamed(names ...string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: names}},
	}}}
}

// share turns a result into a share that consumes some of the capacity
// "memory".
func share(id, memory string) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) {
		r.ShareID = ptr.To(types.UID(id))
		if memory != "" {
			r.ConsumedCapacity = quantities("memory", memory)
		}
	}
}

// states returns configuration of a claim's allocation with structured
// parameters.
func states(attributes string, requests ...string) resourceapi.DeviceAllocationConfiguration {
	return resourceapi.DeviceAllocationConfiguration{
		Source: resourceapi.AllocationConfigSourceClaim, Requests: requests,
		DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
			Driver:     "resource.k8s.io",
			Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":%s}`, attributes)},
		}},
	}
}

// configure sets the configuration of a claim and of its allocation.
func configure(c *resourceapi.ResourceClaim, all ...resourceapi.DeviceAllocationConfiguration) {
	for _, config := range all {
		c.Spec.Devices.Config = append(c.Spec.Devices.Config, resourceapi.DeviceClaimConfiguration{Requests: config.Requests, DeviceConfiguration: config.DeviceConfiguration})
	}
	c.Status.Allocation.Devices.Config = all
}

// start adds the running pod "pod" on a node. It uses claim x.
func (h *history) start(node string) *corev1.Pod {
	h.Pods = append(h.Pods, corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ns", UID: "pod"},
		Spec:       corev1.PodSpec{NodeName: node, ResourceClaims: []corev1.PodResourceClaim{{Name: "devices", ResourceClaimName: ptr.To("x")}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	})
	return &h.Pods[len(h.Pods)-1]
}

// reserve reserves a claim for pods.
func reserve(c *resourceapi.ResourceClaim, podNames ...string) {
	c.Status.ReservedFor = nil
	for _, pod := range podNames {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod, UID: types.UID(pod)})
	}
}
