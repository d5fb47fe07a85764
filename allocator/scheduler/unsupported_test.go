// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// A device or a claim that uses a disabled feature is not allocated as if it did not use it. The message names the
// feature. Selectors evaluate lists also without the feature. Features that the plugin does not have are tested
// elsewhere: claims of PodGroups and node-allocatable resources.
func TestDisabledFeaturesAreNamed(t *testing.T) {
	same := resourceapi.FullyQualifiedName("gpu.example.com/links")
	for name, test := range map[string]struct {
		slice func(*resourceapi.ResourceSlice)
		claim func(*resourceapi.DeviceClaim)
		want  string
	}{
		"list attributes in a constraint": {
			slice: withLists,
			claim: func(c *resourceapi.DeviceClaim) {
				c.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &same}}
			},
			want: "DRAListTypeAttributes",
		},
		"list attributes in distinctAttribute": {
			slice: withLists,
			claim: func(c *resourceapi.DeviceClaim) {
				c.Constraints = []resourceapi.DeviceConstraint{{DistinctAttribute: &same}}
			},
			want: "DRAListTypeAttributes",
		},
		"derived attributes": {
			claim: func(c *resourceapi.DeviceClaim) {
				c.Requests[0].Exactly.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: same, Expression: "1"}}
				c.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &same}}
			},
			want: "derived attributes",
		},
		"compatibility groups": {
			slice: func(s *resourceapi.ResourceSlice) {
				for i := range s.Spec.Devices {
					s.Spec.Devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{
						CounterSet: "set", CompatibilityGroups: []string{"mig"},
						Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse("1")}},
					}}
				}
			},
			want: "DRADeviceCompatibilityGroups",
		},
		"optional node operations": {
			slice: func(s *resourceapi.ResourceSlice) {
				s.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
			},
			want: "DRAOptionalNodeOperations",
		},
	} {
		t.Run(name, func(t *testing.T) {
			slice, claim := gpus("a", 2), claimOf("c", request("req", 2))
			w := newWorld(t, node("a"), deviceClass(), slice.DeepCopy(), claimOf("plain", request("req", 2)))
			w.Expect(w.begin(podWith("p", "plain")).schedule()).To(succeed(), "without the feature in use")

			if test.slice != nil {
				test.slice(slice)
			}
			if test.claim != nil {
				test.claim(&claim.Spec.Devices)
			}
			w = newWorld(t, node("a"), deviceClass(), slice, claim)
			pod := podWith("p", "c")
			c := w.begin(pod)
			status := c.schedule()
			w.Expect(status.IsSuccess()).To(BeFalse())
			message := status.Message()
			if status.IsRejected() {
				_, explained := w.plugin.PostFilter(w.ctx, c.state, pod, nil)
				message = explained.Message()
			}
			w.Expect(message).To(ContainSubstring(test.want))
			w.Expect(w.devicesOf("c")).To(BeEmpty())
		})
	}
}

// withLists gives all devices of a slice an attribute with the same list of values.
func withLists(s *resourceapi.ResourceSlice) {
	for i := range s.Spec.Devices {
		s.Spec.Devices[i].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"links": {StringValues: []string{"x", "y"}}}
	}
}

// The plugin leaves a pod pending if only a device with resources of the node is free, and allocates another one.
func TestNodesWithOtherDevicesAreUsed(t *testing.T) {
	features := defaultFeatures()
	features.EnableDRANodeAllocatableResources = true
	mapped := gpus("a", 1, func(d *resourceapi.Device) {
		d.NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{"memory": {Mapping: &resourceapi.NodeAllocatableMapping{DeviceMultiplier: ptr.To(resource.MustParse("1Gi"))}}}
	})
	w := newWorldWith(t, features, makeOurs, node("a"), node("b"), deviceClass(), mapped, gpus("b", 1), claimOf("c", request("req", 1)))
	c := w.mustBind(podWith("p", "c"))
	w.Expect(c.node).To(Equal("b"))
	w.Expect(w.devicesOf("c")).To(Equal([]string{"b/gpu-0"}))
}
