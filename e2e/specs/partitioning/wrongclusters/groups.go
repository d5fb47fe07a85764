// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongGroups are clusters with faults of compatibility groups.
var wrongGroups = wrong.Table{
	"scheduler ignores compatibility groups": misreadGroups(func([]string) []string { return nil }, "groups-join-allocated-devices",
		"pod other-group-1 should be unschedulable, because its group is another one than that of the other device", "have no compatibility group in common"),
	"scheduler ignores compatibility groups of shared devices": misreadGroups(func([]string) []string { return nil }, "groups-join-shared-devices",
		"pod other-group-1 should be unschedulable, because its group is another one than that of the other device", "have no compatibility group in common"),
	"scheduler compares the first groups only": misreadGroups(func(groups []string) []string { return groups[:min(1, len(groups))] }, "groups-join-allocated-devices",
		"pod common-to-three-1 is not scheduled"),
	"scheduler compares all groups of a device": misreadGroups(func(groups []string) []string {
		if len(groups) > 1 {
			return []string{groups[0] + groups[1]}
		}
		return groups
	}, "groups-join-allocated-devices", "is not scheduled"),
	"scheduler takes no groups for all groups": misreadGroups(func(groups []string) []string {
		if len(groups) == 0 {
			return []string{"mig", "vgpu"}
		}
		return groups
	}, "groups-join-allocated-devices", "pod no-group-among-groups-1 should be unschedulable, because it has no group, and the other device has one"),
	"scheduler compares pairs of devices": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "not-common-to-three-2" {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Name == "not-common-to-three-1" })
		}
	}, "groups-join-allocated-devices", "pod not-common-to-three-2 should be unschedulable, because it has a group in common with each of the other devices, but no group is common to all three"),
	"scheduler ignores the groups of a claim's other devices": misreadGroups(func([]string) []string { return nil }, "groups-join-within-a-claim",
		"pod other-group should be unschedulable"),
	"scheduler ignores the groups of other claims of a pod": misreadGroups(func([]string) []string { return nil }, "groups-join-across-claims",
		"pod apart should be unschedulable, because the devices of its two claims are of different compatibility groups"),
	"scheduler does not take back devices because of their groups": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "together" {
			first := s.Claims[1].DeepCopy().Spec.Devices.Requests[0].Exactly.Selectors
			first[0].CEL.Expression = strings.Replace(first[0].CEL.Expression, "vgpu-0", "mig-0", 1)
			s.Claims[0].Spec.Devices.Requests[0].Exactly.Selectors = first
		}
	}, "groups-join-across-claims", "pod together is not scheduled"),
	"scheduler joins the groups of all counter sets": misread(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			var all []string
			for _, c := range d.ConsumesCounters {
				all = append(all, c.CompatibilityGroups...)
			}
			for i := range d.ConsumesCounters {
				d.ConsumesCounters[i].CompatibilityGroups = all
			}
		})
	}, "groups-of-each-counter-set", "is not scheduled", "have no compatibility group in common"),
	"scheduler compares the first counter set of a new device": misread(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			if d.Name == s.Pod.Name {
				d.ConsumesCounters = d.ConsumesCounters[:min(1, len(d.ConsumesCounters))]
			}
		})
	}, "groups-of-each-counter-set", "have no compatibility group in common", "x-of-both with [x]"),
	"scheduler compares the devices of counter sets of the same name": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if wrong.CountAllocations(s, "both") > 0 && strings.HasSuffix(slice.Spec.Pool.Name, "-more") {
				slice.Spec.Devices = nil
			}
		}
	}, "groups-of-each-counter-set", "pod z-of-other-pool is not scheduled"),
	"scheduler compares the devices of all counter sets": misread(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			for i := range d.ConsumesCounters {
				d.ConsumesCounters[i].CounterSet = "one"
			}
			d.ConsumesCounters = d.ConsumesCounters[:min(1, len(d.ConsumesCounters))]
		})
	}, "groups-of-each-counter-set", "is not scheduled"),
	"scheduler keeps the groups of released devices": misread(wrong.KeepReleasedClaims(), "groups-end-with-release", "pod gpu-2 is not scheduled"),
	"API server accepts invalid groups": {
		Spec: "groups-are-validated",
		Want: []string{"three groups: is accepted", "a group twice: is accepted", "a name in upper case: is accepted"},
	},
	"API server loses groups": {
		Options: wrong.Misstores("ResourceSlice", func(devices any) {
			for _, c := range devices.([]any)[0].(map[string]any)["consumesCounters"].([]any) {
				delete(c.(map[string]any), "compatibilityGroups")
			}
		}),
		Spec: "groups-are-validated", Want: []string{"two groups: spec.devices[0].consumesCounters[0].compatibilityGroups should have 2 items, and has 0"},
	},
	"API server keeps groups without the feature": {
		Target: wrong.WithoutFeature(features.CompatibilityGroups), Spec: "groups-are-dropped",
		Want: []string{"a device with a group: compatibilityGroups should be dropped"},
	},
}

// misreadGroups returns a cluster whose scheduler sees other groups of devices.
func misreadGroups(change func([]string) []string, spec string, want ...string) wrong.Cluster {
	return misread(func(s *fakecluster.Scene) {
		forEachConsumption(s, func(c *resourceapi.DeviceCounterConsumption) { c.CompatibilityGroups = change(c.CompatibilityGroups) })
	}, spec, want...)
}
