// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongCounters are clusters with faults of counters and the devices that
// consume them.
var wrongCounters = wrong.Table{
	"scheduler rounds counters up": misread(roundsCounters(func(q resource.Quantity) int64 { return q.Value() }),
		"partition-counters-are-exact", "pod second is not scheduled"),
	"scheduler rounds counters down": misread(roundsCounters(func(q resource.Quantity) int64 { return q.MilliValue() / 1000 }),
		"partition-counters-are-exact", "pod too-much should be unschedulable, because only 200m of the counter are left"),
	"scheduler counts waiting pods as active": {
		Options: wrong.With(fakecluster.MetricsMistakes{Mismeasures: func(text string) string { return strings.ReplaceAll(text, `queue="unschedulable"`, `queue="active"`) }}),
		Spec:    "partition-waiting-pods-are-counted", Want: []string{"scheduler_pending_pods", "should be 1, and is 0", "a pod waits for a partition"},
	},
	"scheduler counts pods that it has scheduled": {
		Options: wrong.With(fakecluster.MetricsMistakes{Mismeasures: neverLess()}),
		Spec:    "partition-waiting-pods-are-counted", Want: []string{"scheduler_pending_pods", "should be 0, and is 1", "the pod has got its partition"},
	},
	"scheduler ignores memory slices": misread(wrong.IgnoreCounters("memory-slice-"), "partition-excludes-what-overlaps",
		"should be unschedulable, because each accepts only what overlaps", "is overdrawn"),
	"scheduler ignores one kind of engine": misread(wrong.IgnoreCounters("ofa-engines"), "partition-each-counter-counts",
		"should be unschedulable, because each needs something of a counter of which nothing is left", "claim some-ofa-engines was allocated", "counter ofa-engines"),
	"scheduler consumes more counters than a device lists": misread(func(s *fakecluster.Scene) {
		forEachConsumption(s, func(c *resourceapi.DeviceCounterConsumption) {
			if _, ok := c.Counters["decoders"]; !ok {
				c.Counters["decoders"] = oneUnit
			}
		})
	}, "partition-each-counter-counts", "the pod should be scheduled, because its claims fit", "pod rest-copy-engines is not scheduled"),
	"scheduler finds too few decoders": misread(func(s *fakecluster.Scene) {
		forEachCounterSet(s, func(set *resourceapi.CounterSet) {
			set.Counters["decoders"] = resourceapi.Counter{Value: resource.MustParse("3")}
		})
	}, "partition-layouts-fit", "the pod should be scheduled, because its claims fit", "cannot allocate all claims"),
	"scheduler overdraws within a claim": misread(func(s *fakecluster.Scene) {
		s.Objects.Claims = nil
	}, "partition-layouts-fit", "allocations in the cluster should be valid"),
	"scheduler ignores that partitions must have one parent": misread(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			claim.Spec.Devices.Constraints = nil
		}
	}, "partition-parents-are-kept-apart", "pod together should be unschedulable, because each of two GPUs has room for one of its two partitions"),
	"scheduler does not return counters of a device that a constraint excludes": misread(func(s *fakecluster.Scene) {
		if len(s.Claims) > 0 && len(s.Claims[0].Spec.Devices.Constraints) > 1 {
			forEachCounterSet(s, func(set *resourceapi.CounterSet) {
				if strings.HasPrefix(set.Name, "gpu-1") {
					set.Counters = nil
				}
			})
		}
	}, "partition-constraints-consume-nothing", "pod pairs is not scheduled"),
	"scheduler reads only the first counter set of a device": misread(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			device.ConsumesCounters = device.ConsumesCounters[:min(1, len(device.ConsumesCounters))]
		})
	}, "partition-counters-of-the-whole-pool", "pod both should be unschedulable, because it needs both counter sets, and device right uses up one of them", "counter units of counter set right"),
	"scheduler reads the value of a counter from the first counter set": misread(sameUnits("2"), "partition-counters-of-the-whole-pool", "pod right is not scheduled"),
	"scheduler reads the value of a counter from the last counter set": misread(sameUnits("3"), "partition-counters-of-the-whole-pool",
		"pod both should be unschedulable, because it needs both counter sets, and device left uses up one of them"),
	"scheduler ignores the consumption of devices of other nodes": misread(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(spec *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			if s.Pod.Name == "small" && !strings.HasSuffix(*spec.NodeName, "-n01") {
				device.ConsumesCounters = nil
			}
		})
	}, "partition-counters-across-nodes", "pod small should be unschedulable, because a device of another node uses up the counter set", "claim small was allocated", "counter units of counter set gpu"),
	"scheduler expects all slices of a pool on one node": misread(func(s *fakecluster.Scene) {
		s.Nodes = s.Nodes[1:]
		s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool { return *slice.Spec.NodeName != s.Nodes[0].Name })
	}, "partition-counters-across-nodes", "pod plain is not scheduled"),
	"scheduler merges counter sets of all pools": misread(func(s *fakecluster.Scene) {
		if len(s.Objects.Claims) > 0 {
			forEachCounterSet(s, func(set *resourceapi.CounterSet) { set.Counters["memory"] = oneUnit })
		}
	}, "partition-pools-are-apart", "pod first-b is not scheduled"),
	"scheduler adds up counter sets of all pools": misread(func(s *fakecluster.Scene) {
		forEachCounterSet(s, func(set *resourceapi.CounterSet) {
			for name, counter := range set.Counters {
				counter.Value.Add(counter.Value)
				set.Counters[name] = counter
			}
		})
	}, "partition-pools-are-apart", "pod part should be unschedulable, because its own pool is used up, and only others are free", "claim part was allocated"),
	"scheduler reads the counters of another driver with few units": misread(unitsOfDrivers("1"), "partition-pools-of-drivers-are-apart", "-and-", "is not scheduled"),
	"scheduler reads the counters of another driver with many units": misread(unitsOfDrivers("4"), "partition-pools-of-drivers-are-apart",
		"should be unschedulable, because it needs two units of the driver that has one"),
	"scheduler consumes counters for devices with taints": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if len(slice.Spec.Devices) > 0 && len(slice.Spec.Devices[0].Taints) > 0 {
				slice.Spec.Devices = nil
			}
		}
	}, "partition-rejected-devices-consume-nothing", "is not scheduled"),
	"scheduler changes large counters in its cache": misread(func(s *fakecluster.Scene) {
		forEachCounterSet(s, func(set *resourceapi.CounterSet) {
			if set.Name == "unit" && strings.HasSuffix(s.Pod.Name, "-rest") {
				set.Counters["counter"] = resourceapi.Counter{Value: resource.MustParse("3Ei")}
			}
		})
	}, "partition-large-counters-are-exact", "pod unit-rest is not scheduled"),
	"scheduler checks each claim of a pod by itself": misread(func(s *fakecluster.Scene) {
		if len(s.Claims) > 1 {
			wrong.IgnoreCounters("")(s)
		}
	}, "partition-counters-within-a-pod", "pod too-much should be unschedulable, because two of its claims need the same memory slices", "is overdrawn"),
	"scheduler consumes capacity instead of counters": misread(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			for i := range device.ConsumesCounters {
				device.ConsumesCounters[i].Counters["memory"] = resourceapi.Counter{Value: device.Capacity["memory"].Value}
			}
		})
	}, "partition-capacity-is-no-counter", "pod large-1 is not scheduled"),
	"scheduler never returns counters": misread(wrong.KeepReleasedClaims(), "partition-release-makes-room-for-other-shapes", "pod large is not scheduled"),
	"scheduler ignores the devices of other claims": misread(func(s *fakecluster.Scene) { s.Objects.Claims = nil },
		"partition-pods-compete-until-full", "14 pods should be scheduled, because that many fit", " pods are scheduled; ", " times: to "),
	"scheduler allocates partitions regardless of counters": misread(wrong.IgnoreCounters(""),
		"partition-pods-compete-until-full", "14 pods should be scheduled, because that many fit", " pods are scheduled; ", "is overdrawn: "),
	"scheduler does not find the last partition": misread(func(s *fakecluster.Scene) {
		if len(s.Objects.Claims) == 13 {
			s.Nodes = nil
		}
	}, "partition-pods-compete-until-full", "14 pods should be scheduled, because that many fit", "13 pods are scheduled; pod-", "is pending: PodScheduled: 0/"),
	"scheduler does not try other devices": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "left" })
		}
	}, "partition-count-fits-together", "pod two is not scheduled"),
	"scheduler checks each device of a count by itself": misread(func(s *fakecluster.Scene) {
		if s.Claims[0].Spec.Devices.Requests[0].Exactly.Count > 1 {
			wrong.IgnoreCounters("")(s)
		}
	}, "partition-count-fits-together", "pod three should be unschedulable, because the counters of its devices suffice for two of them at most", "is overdrawn: 4 of 2 are consumed"),
	"scheduler allocates all devices of a count from one pool": misread(ignoresPools("-b"), "partition-count-fits-together", "pod four is not scheduled"),
	"scheduler allocates one device of a count": misread(func(s *fakecluster.Scene) { s.Claims[0].Spec.Devices.Requests[0].Exactly.Count = 1 },
		"partition-count-fits-together", "pod three should be unschedulable"),
	"scheduler allocates one device instead of all": misread(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			for _, request := range claim.Spec.Devices.Requests {
				request.Exactly.AllocationMode, request.Exactly.Count = resourceapi.DeviceAllocationModeExactCount, 1
			}
		}
	}, "partition-all-or-none", "pod overlapping should be unschedulable, because all of its devices together need more than there is"),
	"scheduler stores one device of all": miswrite(func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		results[0].Devices.Results = results[0].Devices.Results[:1]
	}, "partition-all-or-none", "claim halves asks for all devices that it selects"),
	"scheduler consumes counters for admin access": misread(func(s *fakecluster.Scene) {
		for _, claim := range s.Objects.Claims {
			for i := range claim.Status.Allocation.Devices.Results {
				claim.Status.Allocation.Devices.Results[i].AdminAccess = nil
			}
		}
	}, "partition-admin-access-holds-nothing", "pod left is not scheduled"),
	"scheduler returns the counters of a claim with admin access": misread(forgetsClaimsWithout("monitor"), "partition-admin-access-holds-nothing",
		"should be unschedulable, because left and right are still allocated, whichever monitor has gone", "claim again was allocated"),
	"scheduler releases the device of a claim with admin access": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "late" {
			s.Objects.Claims = nil
		}
	}, "partition-admin-access-holds-nothing",
		"pod late should be unschedulable, because claim plain still has the device", "claim late was allocated"),
	"scheduler does not store admin access": miswrite(func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		results[0].Devices.Results[0].AdminAccess = nil
	}, "partition-admin-access-holds-nothing", "the result for a request with admin access should have adminAccess set"),
	"scheduler refuses devices that consume nothing of a used counter": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return strings.HasSuffix(d.Name, "-nothing") })
		}
	}, "partition-counters-compare-by-quantity", "pod digits-nothing is not scheduled"),
	"scheduler compares counters as text": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "digits-most" })
		}
	}, "partition-counters-compare-by-quantity", "pod digits-most is not scheduled"),
	"scheduler reads 1Ki as 1000": misread(func(s *fakecluster.Scene) {
		forEachCounterSet(s, func(set *resourceapi.CounterSet) {
			if set.Name == "units" {
				set.Counters["counter"] = resourceapi.Counter{Value: resource.MustParse("1000")}
			}
		})
	}, "partition-counters-compare-by-quantity", "pod units-rest is not scheduled"),
	"scheduler ignores the last counter of a set": misread(wrong.IgnoreCounters("counter-31"), "partition-largest-counter-slice-counts",
		"pod again-0 should be unschedulable, because other devices use up the last counters of the sets"),
	"scheduler adds up the counters of a set": misread(func(s *fakecluster.Scene) {
		forEachConsumption(s, func(c *resourceapi.DeviceCounterConsumption) { c.Counters["counter-31"] = oneUnit })
	}, "partition-largest-counter-slice-counts", "pod others-0 is not scheduled"),
	"scheduler keeps the first device that it has tried": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "small" {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "part-19" })
			}
		}
	}, "partition-counters-are-searched-to-the-end", "pod small is not scheduled"),
	"scheduler keeps the counters of a device that it has tried for another claim": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "wide-first" {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "wide-first-1" })
			}
		}
	}, "partition-counters-are-searched-to-the-end", "pod wide-first is not scheduled"),
	"scheduler forgets consumed counters when it restarts": misread(func(s *fakecluster.Scene) {
		if s.Restarts > 0 && s.Pod.Name == "waiting" {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(claim *resourceapi.ResourceClaim) bool { return claim.Name == "before" })
		}
	}, "partition-counters-outlive-scheduler-restart", "pod waiting should be unschedulable, because a claim has one of two units since before the restart"),
	"scheduler ignores counters when it has searched for long": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "too-many" {
			wrong.IgnoreCounters("")(s)
		}
	}, "partition-counters-are-searched-to-the-end", "pod too-many should be unschedulable, because the counter does not suffice for any nine of the devices"),
}

var oneUnit = resourceapi.Counter{Value: resource.MustParse("1")}

// misread returns a cluster whose scheduler sees changed objects, and the spec
// that must detect it.
func misread(change func(*fakecluster.Scene), spec string, want ...string) wrong.Cluster {
	return wrong.Cluster{Options: wrong.Misreads(change), Spec: spec, Want: want}
}

// miswrite returns a cluster whose scheduler stores changed allocation results,
// and the spec that must detect it.
func miswrite(change func(*fakecluster.Scene, []resourceapi.AllocationResult), spec string, want ...string) wrong.Cluster {
	return wrong.Cluster{Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: change}), Spec: spec, Want: want}
}

// neverLess returns a change of metrics: the number of waiting pods only grows.
func neverLess() func(string) string {
	waited := false
	return func(text string) string {
		waited = waited || strings.Contains(text, `queue="unschedulable"} 1`)
		if waited {
			return strings.ReplaceAll(text, `queue="unschedulable"} 0`, `queue="unschedulable"} 1`)
		}
		return text
	}
}

// roundsCounters makes the scheduler round the amounts that devices consume.
func roundsCounters(round func(resource.Quantity) int64) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			for _, consumption := range device.ConsumesCounters {
				for name, counter := range consumption.Counters {
					counter.Value = *resource.NewQuantity(round(counter.Value), counter.Value.Format)
					consumption.Counters[name] = counter
				}
			}
		})
	}
}

// sameUnits makes the scheduler read the same number of units from all counter sets.
func sameUnits(value string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		forEachCounterSet(s, func(set *resourceapi.CounterSet) {
			set.Counters = map[string]resourceapi.Counter{"units": {Value: resource.MustParse(value)}}
		})
	}
}

// unitsOfDrivers makes the scheduler read the same number of units from the counter sets of
// all drivers if a pod requests devices of several drivers.
func unitsOfDrivers(value string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		if len(s.Claims) > 0 && len(s.Claims[0].Spec.Devices.Requests) > 1 {
			sameUnits(value)(s)
		}
	}
}
