// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAllocations are clusters whose scheduler records something wrong in
// allocations.
var wrongAllocations = wrong.Table{
	"scheduler does not record binding conditions": {
		Options: miswrites(func(r *result) { r.BindingConditions, r.BindingFailureConditions = nil, nil }), Spec: "binding-conditions-are-recorded",
		Want: []string{"the allocation of device card should have its binding conditions"},
	},
	"scheduler does not record the conditions of all devices": {
		Options: miswrites(func(r *result) { r.BindingConditions, r.BindingFailureConditions = nil, nil }), Spec: "binding-waits-for-each-of-all-devices",
		Want: []string{"the allocation of device card-", "should have its binding conditions"},
	},
	"scheduler records two binding conditions": {
		Options: miswrites(func(r *result) { r.BindingConditions = r.BindingConditions[:min(2, len(r.BindingConditions))] }), Spec: "binding-waits-for-the-last-condition",
		Want: []string{"the allocation of device card should have its binding conditions"},
	},
	"scheduler waits for three binding conditions": {
		Options: misreadsResults(func(r *result) { r.BindingConditions = r.BindingConditions[:min(3, len(r.BindingConditions))] }), Spec: "binding-waits-for-the-last-condition",
		Want: []string{"pod card should wait, because the last of four binding conditions of its device is missing"},
	},
	"scheduler ignores the last binding failure condition": {
		Options: misreadsResults(func(r *result) {
			r.BindingFailureConditions = r.BindingFailureConditions[:min(3, len(r.BindingFailureConditions))]
		}), Spec: "binding-waits-for-the-last-condition",
		Want: []string{"claim card should be allocated, because its device has failed"},
	},
	"scheduler takes any statement about nodes for one that binds": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if d.BindsToNode != nil {
				d.BindsToNode = ptr.To(true)
			}
		}), Spec: "binds-to-node-selects-the-node",
		Want: []string{"the allocation of device roams, for node", "should select these nodes"},
	},
	"scheduler does not record binding failure conditions": {
		Options: miswrites(func(r *result) { r.BindingFailureConditions = nil }), Spec: "binding-conditions-are-recorded",
		Want: []string{"the allocation of device card should have its binding failure conditions"},
	},
	"scheduler records the conditions of another device": {
		Options: miswrites(func(r *result) {
			if r.Device == "plain-disk" {
				r.BindingConditions, r.BindingFailureConditions = []string{"draconform.dev/attached"}, []string{"draconform.dev/attaching-failed"}
			}
		}),
		Spec: "binding-conditions-are-recorded", Want: []string{"the allocation of device plain-disk should have its binding conditions"},
	},
	"scheduler records a time before the claim was created": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				results[i].AllocationTimestamp = ptr.To(metav1.NewTime(time.Now().Add(-8 * time.Minute)))
			}
		}}),
		Spec: "binding-conditions-are-recorded", Want: []string{"claim pair should have the time of its allocation"},
	},
	"scheduler waits for the published conditions": {
		Options: misreadsResults(func(r *result) {
			if len(r.BindingConditions) > 0 {
				r.BindingConditions, r.BindingFailureConditions = []string{"draconform.dev/replaced"}, nil
			}
		}),
		Spec: "binding-conditions-are-recorded", Want: []string{"pod pair is not scheduled"},
	},
	"scheduler ignores bindsToNode": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.BindsToNode = nil }), Spec: "binds-to-node-selects-the-node",
		Want: []string{"the allocation of device", "should select these nodes"},
	},
	"scheduler ignores bindsToNode if the slice selects nodes": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			wrong.ForEachDevice(s, func(spec *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
				if spec.NodeSelector != nil {
					d.BindsToNode = nil
				}
			})
		}),
		Spec: "binds-to-node-selects-the-node", Want: []string{"the allocation of device selected, for node", "should select these nodes"},
	},
	"scheduler binds all devices to nodes": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) { d.BindsToNode = ptr.To(true) }), Spec: "binds-to-node-selects-the-node",
		Want: []string{"the allocation of device roams, for node", "should select these nodes"},
	},
	"scheduler selects the first node": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				if selector := results[i].NodeSelector; selector != nil {
					selector.NodeSelectorTerms[0].MatchFields = []corev1.NodeSelectorRequirement{{
						Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{firstNode(s)},
					}}
				}
			}
		}}),
		Spec: "binds-to-node-selects-the-node", Want: []string{"the allocation of device", "for node", "should select these nodes"},
	},
	"scheduler binds claims to nodes by their first device": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				if s.Claims[i].Name == "mixed" {
					results[i].NodeSelector = nil
				}
			}
		}}),
		Spec: "binds-to-node-selects-the-node", Want: []string{"the allocation of claim mixed should select the node to which one of its devices binds"},
	},
}

// firstNode returns the first of the simulated nodes of the spec, whose names
// differ in their last digits only.
func firstNode(s *fakecluster.Scene) string {
	name := s.Nodes[0].Name
	return name[:len(name)-2] + "00"
}

func miswrites(change func(*result)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			for j := range results[i].Devices.Results {
				change(&results[i].Devices.Results[j])
			}
		}
	}})
}
