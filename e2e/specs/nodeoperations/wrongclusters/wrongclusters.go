// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// node-operations must detect.
package wrongclusters

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Table{
	"scheduler does not look at the features of nodes": {
		Options: misreadsNodes(func(node *corev1.Node) { node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"} }), Spec: "skipped-operations-need-capable-nodes",
		Want: []string{"pod incapable should be unschedulable, because its node does not declare that it can skip operations"},
	},
	"scheduler rejects such devices on all nodes": {
		Options: misreadsNodes(func(node *corev1.Node) { node.Status.DeclaredFeatures = nil }), Spec: "skipped-operations-need-capable-nodes",
		Want: []string{"pod anywhere is not scheduled"},
	},
	"scheduler looks at the features of nodes before the slices": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
			}
		}),
		Spec: "skipped-operations-need-capable-nodes", Want: []string{"pod ordinary is not scheduled"},
	},
	"scheduler looks at the features of nodes for no alternative": {
		Options: misreadsNodes(func(node *corev1.Node) { node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"} }), Spec: "skipped-operations-decide-alternatives",
		Want: []string{"the devices of claim incapable should be for [list/card], because its node does not declare that it can skip operations"},
	},
	"scheduler does not record the operations for alternatives": {
		Options: miswrites(func(result *resourceapi.DeviceRequestAllocationResult) {
			if strings.Contains(result.Request, "/") {
				result.SkipNodeOperations = nil
			}
		}),
		Spec: "skipped-operations-decide-alternatives", Want: []string{"the allocation of device port for a subrequest should have the operations that kubelets skip"},
	},
	"scheduler looks at the features of nodes for no request for all devices": {
		Options: misreadsNodes(func(node *corev1.Node) { node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"} }), Spec: "skipped-operations-of-all-devices",
		Want: []string{"pod incapable should be unschedulable, because its node does not declare that it can skip operations"},
	},
	"scheduler does not record the operations of all devices": {
		Options: miswrites(func(result *resourceapi.DeviceRequestAllocationResult) { result.SkipNodeOperations = nil }), Spec: "skipped-operations-of-all-devices",
		Want: []string{"request ports has device", "with skipNodeOperations nothing, not", "rule results-copied"},
	},
	"scheduler forgets the features of nodes when a claim is allocated": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresDeclaredFeatures: true}), Spec: "skipped-operations-keep-to-capable-nodes",
		Want: []string{"pod first-incapable should not be bound, because its node does not declare that it can skip operations"},
	},
	"scheduler looks at the operations of the first device of an allocated claim": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReadsFirstOperations: true}), Spec: "skipped-operations-keep-to-capable-nodes",
		Want: []string{"pod first-incapable should not be bound, because its node does not declare that it can skip operations"},
	},
	"scheduler forgets the features of the nodes that an allocation selects": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresFeaturesOfSelected: true}), Spec: "skipped-operations-keep-to-capable-nodes",
		Want: []string{"pod selected-incapable should not be bound, because its node does not declare that it can skip operations"},
	},
	"kubelet calls drivers for all devices": {
		Options: wrong.With(fakecluster.KubeletMistakes{CallsForSkipped: true}), Spec: "skipped-operations-need-no-driver",
		Want: []string{"while waiting until pod pod runs", "is not registered"},
	},
	"kubelet does not call a driver if one device skips it": {
		Options: wrong.With(fakecluster.KubeletMistakes{SkipsForOne: true}), Spec: "skipped-operations-of-some-devices",
		Want: []string{"pod pod is Running and was started, although its devices were not prepared"},
	},
	"kubelet does not know the operations by their names": {
		Options: wrong.With(fakecluster.KubeletMistakes{KnowsNoNames: true}), Spec: "skipped-operations-need-no-driver",
		Want: []string{"while waiting until pod named runs", "is not registered"},
	},
	"kubelet takes any operation for all": {
		Options: wrong.With(fakecluster.KubeletMistakes{SkipsForAny: true}), Spec: "skipped-operations-of-some-devices",
		Want: []string{"pod prepared-only is Running and was started, although its devices were not prepared"},
	},
	"kubelet stops at the first claim without operations": {
		Options: wrong.With(fakecluster.KubeletMistakes{StopsAtSkipped: true}), Spec: "skipped-operations-of-some-devices",
		Want: []string{"pod two-claims is Running and was started, although its devices were not prepared"},
	},
	"scheduler does not record the operations": {
		Options: miswrites(func(result *resourceapi.DeviceRequestAllocationResult) { result.SkipNodeOperations = nil }), Spec: "skipped-operations-are-recorded",
		Want: []string{"the allocation of device any should have the operations that kubelets skip"},
	},
	"scheduler records all operations": {
		Options: miswrites(func(result *resourceapi.DeviceRequestAllocationResult) {
			if len(result.SkipNodeOperations) > 0 {
				result.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
			}
		}),
		Spec: "skipped-operations-are-recorded", Want: []string{"the allocation of device unprepare should have the operations that kubelets skip"},
	},
	"scheduler records the operations of another device": {
		Options: miswrites(func(result *resourceapi.DeviceRequestAllocationResult) {
			if result.Device == "none" {
				result.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
			}
		}),
		Spec: "skipped-operations-are-recorded", Want: []string{"the allocation of device none should have the operations that kubelets skip"},
	},
	"API server accepts any operations": {
		Spec: "skipped-operations-are-validated", Want: []string{"only the first operation: is accepted", "an unknown operation: is accepted"},
	},
	"API server drops the operations": {
		Options: wrong.With(fakecluster.APIServerMistakes{Misstores: func(object map[string]any) { delete(object["spec"].(map[string]any), "skipNodeOperations") }}), Spec: "skipped-operations-are-validated",
		Want: []string{"all operations: spec.skipNodeOperations should have 1 items, and has 0"},
	},
	"API server keeps the operations without the feature": {
		Target: wrong.WithoutFeature(features.OptionalNodeOperations), Spec: "skipped-operations-are-dropped",
		Want: []string{"a slice whose devices need no operations: skipNodeOperations should be dropped"},
	},
}

// misreadsNodes returns the options of a cluster whose scheduler sees changed
// nodes.
func misreadsNodes(change func(*corev1.Node)) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		for _, node := range s.Nodes {
			change(node)
		}
	})
}

// miswrites returns the options of a cluster whose scheduler writes changed
// results.
func miswrites(change func(*resourceapi.DeviceRequestAllocationResult)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, all []resourceapi.AllocationResult) {
		for i := range all {
			for j := range all[i].Devices.Results {
				change(&all[i].Devices.Results[j])
			}
		}
	}})
}
