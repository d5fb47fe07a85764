// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAllocations are clusters with faults of the allocation of multi-host devices.
var wrongAllocations = wrong.Table{
	"scheduler stores no node selector": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: losesNodes}), Spec: "multi-host-allocation-selects-nodes",
		Want: []string{"should select the nodes of its device", "draconform-test-1-n00"},
	},
	"scheduler ignores the nodes of a device": {
		Options: wrong.Misreads(ignoresNodes), Spec: "multi-host-allocation-selects-nodes",
		Want: []string{"pod named-elsewhere-0 should be unschedulable, because their nodes do not have the devices", "claim named-elsewhere was allocated"},
	},
	"scheduler ignores the fields in the node selectors of devices": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if d.NodeSelector != nil && len(d.NodeSelector.NodeSelectorTerms[0].MatchFields) > 0 {
				d.NodeSelector, d.AllNodes = nil, ptr.To(true)
			}
		}), Spec: "multi-host-allocation-selects-nodes",
		Want: []string{"pod by-field-elsewhere-0 should be unschedulable, because their nodes do not have the devices"},
	},
	"scheduler reads the first requirement in the node selectors of devices": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if d.NodeSelector != nil {
				term := &d.NodeSelector.NodeSelectorTerms[0]
				term.MatchExpressions = term.MatchExpressions[:min(1, len(term.MatchExpressions))]
			}
		}), Spec: "multi-host-allocation-selects-nodes",
		Want: []string{"pod by-two-elsewhere-0 should be unschedulable, because their nodes do not have the devices"},
	},
	"scheduler ignores devices of all nodes": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return ptr.Deref(d.AllNodes, false) })
			}
		}), Spec: "multi-host-allocation-selects-nodes",
		Want: []string{"while waiting until pod everywhere is scheduled"},
	},
	"scheduler lets pods leave the nodes of their device": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: losesNodes}), Spec: "multi-host-pods-stay-on-nodes-of-device",
		Want: []string{"pod second should run on a node that has its devices", "kubernetes.io/hostname In [draconform-test-1-n02 draconform-test-1-n03] matches, not on draconform-test-1-n00"},
	},
	"scheduler allocates overlapping multi-host devices": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")), Spec: "multi-host-sizes-exclude-each-other",
		Want: []string{"should be unschedulable, because a smaller or larger one holds some of their hosts", "claim 2x4-at-0-0 was allocated", "is overdrawn: 8 of 4 are consumed"},
	},
	"scheduler allocates an invalid slice": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")), Spec: "multi-host-published-groups-only",
		Want: []string{"pod any should be unschedulable, because each valid slice lacks the host in a corner", "is overdrawn"},
	},
	"scheduler allocates a device of another size": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "tpu-4x4-4-4" })
			}
		}), Spec: "multi-host-published-groups-only",
		Want: []string{"while waiting until pod good-3 is scheduled"},
	},
	"scheduler allocates the same hosts to two claims": {
		Options: wrong.Misreads(forgetsClaims), Spec: "multi-host-claims-have-hosts-of-their-own",
		Want: []string{"tpu-2x4-0-0 is allocated 2 times"},
	},
	"scheduler allocates hosts to claims of other sizes": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")), Spec: "multi-host-claims-have-hosts-of-their-own",
		Want: []string{"pod single should be unschedulable, because the two claims hold all hosts", "claim single was allocated"},
	},
	"multi-host device is released with its first pod": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReleasesEarly: true}), Spec: "multi-host-released-with-last-pod",
		Want: []string{"pod late should be unschedulable, because two pods still use claim whole", "claim late was allocated"},
	},
	"multi-host device is never released": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsCounters: true}), Spec: "multi-host-released-with-last-pod",
		Want: []string{"while waiting until pod late is scheduled"},
	},
	"scheduler ignores that claims have no node in common": {
		Options: wrong.Misreads(ignoresNodes), Spec: "multi-host-claims-with-nodes-in-common",
		Want: []string{"pod nowhere should be unschedulable, because no node has both devices", "claim left was allocated"},
	},
	"scheduler forgets the nodes of claims that are allocated": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if s.Pod.Name == "only-right" {
				losesNodes(s, results)
			}
		}}), Spec: "multi-host-claims-with-nodes-in-common",
		Want: []string{"pod nowhere should be unschedulable, because its claims are allocated by now, to devices without a node in common: pod nowhere was scheduled"},
	},
	"scheduler stores the nodes of all claims of a pod": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if len(results) == 2 {
				term := &results[0].NodeSelector.NodeSelectorTerms[0]
				term.MatchExpressions = append(term.MatchExpressions, results[1].NodeSelector.NodeSelectorTerms[0].MatchExpressions...)
			}
		}}), Spec: "multi-host-claims-with-nodes-in-common",
		Want: []string{"the allocation of claim left should select the nodes of its own device"},
	},
	"scheduler takes devices beyond the 64th for those 64 before": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
				if i := slices.IndexFunc(slice.Devices, func(d resourceapi.Device) bool { return d.Name == device.Name }); i >= 64 {
					before := slice.Devices[i-64]
					device.NodeName, device.NodeSelector, device.AllNodes = before.NodeName, before.NodeSelector, before.AllNodes
				}
			})
		}), Spec: "multi-host-allocation-selects-nodes",
		Want: []string{"while waiting until pod"},
	},
	"scheduler stores the nodes of the first device of a claim": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if len(results) > 0 && s.Claims[0].Name == "both" {
				term := &results[0].NodeSelector.NodeSelectorTerms[0]
				term.MatchExpressions = term.MatchExpressions[:1]
			}
		}}), Spec: "multi-host-claim-is-where-all-devices-are",
		Want: []string{"the allocation of claim both should select the node that has both devices"},
	},
	"scheduler ignores a local device in the node selector": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if len(results) > 0 && s.Claims[0].Name == "mixed" {
				losesNodes(s, results)
			}
		}}), Spec: "multi-host-claim-is-where-all-devices-are",
		Want: []string{"the allocation of claim mixed should select the node that has both devices"},
	},
	"scheduler ignores that the devices of a claim have no node in common": {
		Options: wrong.Misreads(ignoresNodes), Spec: "multi-host-claim-is-where-all-devices-are",
		Want: []string{"should run on a node that has its devices", "is on the nodes that kubernetes.io/hostname In"},
	},
	"scheduler allocates devices of other nodes for all": {
		Options: wrong.Misreads(ignoresNodes), Spec: "multi-host-all-devices-of-the-node",
		Want: []string{"pod on-third should run on a node that has its devices"},
	},
	"scheduler allocates the free devices for all": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			held := map[string]bool{}
			for _, claim := range s.Objects.Claims {
				for _, r := range claim.Status.Allocation.Devices.Results {
					held[r.Device] = true
				}
			}
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return held[d.Name] })
			}
		}), Spec: "multi-host-all-devices-of-the-node",
		Want: []string{"pod on-second should be unschedulable, because claim on-third has one of the two devices of its node", "claim on-second was allocated"},
	},
	"scheduler allocates a device of a node to several pods": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Name != "pair" })
		}), Spec: "multi-host-own-claims-keep-pods-apart",
		Want: []string{"while waiting until pod second is scheduled", "seat is allocated 2 times"},
	},
	"scheduler stores no node selector for a shared device": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: losesNodes}), Spec: "multi-host-own-claims-keep-pods-apart",
		Want: []string{"each node of the pair has one of the pods", "the missing elements were", "draconform-test-1-n02"},
	},
	"scheduler allocates a device of a removed host": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "pair") {
				ignoresNodes(s)
			}
		}), Spec: "multi-host-host-leaves",
		Want: []string{"a pod like pair should be pending, because one of its hosts has left the pool", "claim pair-", "was allocated"},
	},
	"scheduler forgets claims when a pool has a new generation": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if slices.ContainsFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Generation == 2 }) {
				forgetsClaims(s)
			}
		}), Spec: "multi-host-host-leaves",
		Want: []string{"pod part should be unschedulable, because claim before holds its host", "claim part was allocated", "is overdrawn"},
	},
	"scheduler allocates smaller slices in addition to one of all hosts": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")), Spec: "multi-host-sixteen-pods-share-claim",
		Want: []string{"pod a-2x2 should be unschedulable, because claim whole holds all hosts"},
	},
	"scheduler lets eight pods use a claim": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				if len(claim.Status.ReservedFor) >= 8 {
					s.Nodes = nil
				}
			}
		}), Spec: "multi-host-sixteen-pods-share-claim",
		Want: []string{"the pod should be scheduled, because its claims fit", "is not scheduled: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler allocates more than a pool has": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")), Spec: "multi-host-sizes-fill-pool",
		Want: []string{"is overdrawn: 8 of 4 are consumed"},
	},
	"scheduler does not find the last host": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Objects.Claims) == 4 {
				s.Nodes = s.Nodes[:15]
			}
		}), Spec: "multi-host-sizes-fill-pool",
		Want: []string{"while waiting until pod claim-4 is scheduled", "the pod should be scheduled, because its claims fit"},
	},
}

// ignoresNodes makes the scheduler treat all devices as available on all nodes.
func ignoresNodes(s *fakecluster.Scene) {
	for _, slice := range s.Objects.Slices {
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			if slice.Spec.PerDeviceNodeSelection != nil {
				device.NodeName, device.NodeSelector, device.AllNodes = nil, nil, ptr.To(true)
			}
		}
	}
}

// forgetsClaims makes the scheduler ignore the devices of other claims.
func forgetsClaims(s *fakecluster.Scene) { s.Objects.Claims = nil }

// losesNodes removes the node selectors from allocations.
func losesNodes(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
	for i := range results {
		results[i].NodeSelector = nil
	}
}
