package specs_test

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// tpus returns the options of a cluster with faults and multi-host devices.
func tpus(m fakecluster.Mistakes) fakecluster.Options {
	return fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: m}
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

// wrongMultiHost are clusters with faults of multi-host devices.
var wrongMultiHost = map[string]mistake{
	"driver shows all pods the same part": {
		cluster: tpus(fakecluster.Mistakes{ShowsSamePart: true}), spec: "multi-host-pods-see-their-parts",
		want: []string{"while comparing what the containers see", "should see the part of its own node", "<string>: node-1\nto equal\n    <string>: node-2"},
	},
	"scheduler lets one pod use a multi-host device": {
		cluster: tpus(fakecluster.Mistakes{Misreads: func(s *fakecluster.Scene) {
			if len(s.Claims) == 0 {
				s.Nodes = nil
			}
		}}), spec: "multi-host-pods-see-their-parts",
		want: []string{"while waiting until pod quad-1 runs", "pod quad-1 is Pending: PodScheduled: 0/4 nodes are available"},
	},
	"driver ends containers of a multi-host device": {
		cluster: tpus(fakecluster.Mistakes{RestartEndsPods: true}), spec: "multi-host-survives-driver-restart",
		want: []string{"the container of pod before-0 should go on despite the driver's restart"},
	},
	"scheduler does not say on which nodes a device is": {
		cluster: makes(fakecluster.Mistakes{Miswrites: losesNodes}), spec: "multi-host-allocation-selects-nodes",
		want: []string{"should select the nodes of its device", "draconform-test-1-n00"},
	},
	"scheduler ignores on which nodes a device is": {
		cluster: misreads(ignoresNodes), spec: "multi-host-allocation-selects-nodes",
		want: []string{"pod named-elsewhere-0 should be refused, because their nodes do not have the devices", "claim named-elsewhere was allocated"},
	},
	"scheduler does not look for devices of all nodes": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return ptr.Deref(d.AllNodes, false) })
			}
		}), spec: "multi-host-allocation-selects-nodes",
		want: []string{"while waiting until pod everywhere is scheduled"},
	},
	"scheduler lets pods leave the nodes of their device": {
		cluster: makes(fakecluster.Mistakes{Miswrites: losesNodes}), spec: "multi-host-pods-stay-on-nodes-of-device",
		want: []string{"pod second should run on a node that has its devices", "kubernetes.io/hostname In [draconform-test-1-n02 draconform-test-1-n03] matches, not on draconform-test-1-n00"},
	},
	"scheduler gives overlapping multi-host devices": {
		cluster: misreads(ignoresCounters("")), spec: "multi-host-sizes-exclude-each-other",
		want: []string{"should be refused, because a smaller or larger one holds some of their hosts", "claim 2x4-at-0-0 was allocated", "is overdrawn: 8 of 4 are consumed"},
	},
	"scheduler takes a group that is not good": {
		cluster: misreads(ignoresCounters("")), spec: "multi-host-published-groups-only",
		want: []string{"pod any should be refused, because each of the good slices lacks the host in a corner", "is overdrawn"},
	},
	"scheduler takes a device of another size": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "tpu-4x4-4-4" })
			}
		}), spec: "multi-host-published-groups-only",
		want: []string{"while waiting until pod good-3 is scheduled"},
	},
	"scheduler gives two claims the same hosts": {
		cluster: misreads(forgetsClaims), spec: "multi-host-claims-have-hosts-of-their-own",
		want: []string{"tpu-2x4-0-0 is allocated 2 times"},
	},
	"scheduler gives hosts to claims of other sizes": {
		cluster: misreads(ignoresCounters("")), spec: "multi-host-claims-have-hosts-of-their-own",
		want: []string{"pod single should be refused, because the two claims hold all hosts", "claim single was allocated"},
	},
	"multi-host device is released with its first pod": {
		cluster: makes(fakecluster.Mistakes{ReleasesEarly: true}), spec: "multi-host-released-with-last-pod",
		want: []string{"pod late should be refused, because two of the pods of claim whole are still there", "claim late was allocated"},
	},
	"multi-host device is never released": {
		cluster: makes(fakecluster.Mistakes{KeepsCounters: true}), spec: "multi-host-released-with-last-pod",
		want: []string{"while waiting until pod late is scheduled"},
	},
	"scheduler ignores that claims have no node in common": {
		cluster: misreads(ignoresNodes), spec: "multi-host-claims-with-nodes-in-common",
		want: []string{"pod nowhere should be refused, because no node has both devices", "claim left was allocated"},
	},
	"scheduler forgets the nodes of claims that are allocated": {
		cluster: makes(fakecluster.Mistakes{Miswrites: losesNodes}), spec: "multi-host-claims-with-nodes-in-common",
		want: []string{"pod beside should run on a node that has its devices", "is on the nodes that kubernetes.io/hostname In [draconform-test-1-n02 draconform-test-1-n03] matches, not on draconform-test-1-n00"},
	},
	"scheduler says where the first device of a claim is": {
		cluster: makes(fakecluster.Mistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if len(results) > 0 && s.Claims[0].Name == "both" {
				term := &results[0].NodeSelector.NodeSelectorTerms[0]
				term.MatchExpressions = term.MatchExpressions[:1]
			}
		}}), spec: "multi-host-claim-is-where-all-devices-are",
		want: []string{"the allocation of claim both should select the node that has both devices"},
	},
	"scheduler does not say that one device of a claim is local": {
		cluster: makes(fakecluster.Mistakes{Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if len(results) > 0 && s.Claims[0].Name == "mixed" {
				losesNodes(s, results)
			}
		}}), spec: "multi-host-claim-is-where-all-devices-are",
		want: []string{"the allocation of claim mixed should select the node that has both devices"},
	},
	"scheduler ignores that the devices of a claim have no node in common": {
		cluster: misreads(ignoresNodes), spec: "multi-host-claim-is-where-all-devices-are",
		want: []string{"should run on a node that has its devices", "is on the nodes that kubernetes.io/hostname In"},
	},
	"scheduler takes devices of other nodes for all": {
		cluster: misreads(ignoresNodes), spec: "multi-host-all-devices-of-the-node",
		want: []string{"pod on-third should run on a node that has its devices"},
	},
	"scheduler takes what is left for all": {
		cluster: misreads(func(s *fakecluster.Scene) {
			held := map[string]bool{}
			for _, claim := range s.Objects.Claims {
				for _, r := range claim.Status.Allocation.Devices.Results {
					held[r.Device] = true
				}
			}
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return held[d.Name] })
			}
		}), spec: "multi-host-all-devices-of-the-node",
		want: []string{"pod on-second should be refused, because claim on-third has one of the two devices of its node", "claim on-second was allocated"},
	},
	"scheduler gives a device of a node to several pods": {
		cluster: misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Name != "pair" })
		}), spec: "multi-host-own-claims-keep-pods-apart",
		want: []string{"while waiting until pod second is scheduled", "seat is allocated 2 times"},
	},
	"scheduler does not say on which nodes the shared device is": {
		cluster: makes(fakecluster.Mistakes{Miswrites: losesNodes}), spec: "multi-host-own-claims-keep-pods-apart",
		want: []string{"each node of the pair has one of the pods", "the missing elements were", "draconform-test-1-n02"},
	},
	"scheduler allocates what spans a host that left": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "pair" {
				ignoresNodes(s)
			}
		}), spec: "multi-host-host-leaves",
		want: []string{"pod pair should be refused, because one of its hosts has left the pool", "claim pair was allocated"},
	},
	"scheduler forgets claims when a pool has a new generation": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if slices.ContainsFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Generation == 2 }) {
				forgetsClaims(s)
			}
		}), spec: "multi-host-host-leaves",
		want: []string{"pod part should be refused, because claim before holds its host", "claim part was allocated", "is overdrawn"},
	},
	"scheduler gives slices beside one of all hosts": {
		cluster: misreads(ignoresCounters("")), spec: "multi-host-sixteen-pods-share-claim",
		want: []string{"pod a-2x2 should be refused, because claim whole holds all hosts"},
	},
	"scheduler lets eight pods use a claim": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				if len(claim.Status.ReservedFor) >= 8 {
					s.Nodes = nil
				}
			}
		}), spec: "multi-host-sixteen-pods-share-claim",
		want: []string{"the pod should be scheduled, because its claims fit", "is not scheduled: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler gives more than a pool has": {
		cluster: misreads(ignoresCounters("")), spec: "multi-host-sizes-fill-pool",
		want: []string{"is overdrawn: 8 of 4 are consumed"},
	},
	"scheduler does not find the last host": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if len(s.Objects.Claims) == 4 {
				s.Nodes = s.Nodes[:15]
			}
		}), spec: "multi-host-sizes-fill-pool",
		want: []string{"while waiting until pod claim-4 is scheduled", "the pod should be scheduled, because its claims fit"},
	},
}
