package specs_test

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/suite/env"
)

// wrongPartitioning are clusters with faults of partitions and their pools.
var wrongPartitioning = map[string]mistake{
	"scheduler allocates from an older generation": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if slice.Spec.Pool.Generation == 1 {
				slice.Spec.Pool.Name += "-of-its-own"
			}
		}
	}, "pool-newest-generation-counts", "pod old should be refused, because its device is in an older generation of the pool"),
	"scheduler does not look at memory slices": misread(ignoresCounters("memory-slice-"), "partition-excludes-what-overlaps",
		"should be refused, because each accepts only what overlaps", "is overdrawn"),
	"scheduler does not look at one kind of engine": misread(ignoresCounters("ofa-engines"), "partition-each-counter-counts",
		"should be refused, because each needs something of a counter of which nothing is left", "claim some-ofa-engines was allocated", "counter ofa-engines"),
	"scheduler takes more counters than a device lists": misread(func(s *fakecluster.Scene) {
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
	}, "partition-layouts-fit", "allocations in the cluster should agree with what its slices offer"),
	"scheduler ignores that partitions must have one parent": misread(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			claim.Spec.Devices.Constraints = nil
		}
	}, "partition-parents-are-kept-apart", "pod together should be refused, because each of two GPUs has room for one of its two partitions"),
	"scheduler forgets to return what a constraint kept from a request": misread(func(s *fakecluster.Scene) {
		if len(s.Claims) > 0 && len(s.Claims[0].Spec.Devices.Constraints) > 1 {
			forEachCounterSet(s, func(set *resourceapi.CounterSet) {
				if strings.HasPrefix(set.Name, "gpu-1") {
					set.Counters = nil
				}
			})
		}
	}, "partition-constraints-consume-nothing", "pod pairs is not scheduled"),
	"scheduler looks at the first counter set of a device alone": misread(func(s *fakecluster.Scene) {
		forEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			device.ConsumesCounters = device.ConsumesCounters[:min(1, len(device.ConsumesCounters))]
		})
	}, "partition-counters-of-the-whole-pool", "pod both should be refused, because it needs both counter sets, and device right uses up one of them", "counter units of counter set right"),
	"scheduler does not count what devices of other nodes consume": misread(func(s *fakecluster.Scene) {
		forEachDevice(s, func(spec *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			if s.Pod.Name == "small" && !strings.HasSuffix(*spec.NodeName, "-n01") {
				device.ConsumesCounters = nil
			}
		})
	}, "partition-counters-across-nodes", "pod small should be refused, because a device of another node uses up the counter set", "claim small was allocated", "counter units of counter set gpu"),
	"scheduler counts the slices of one node": misread(func(s *fakecluster.Scene) {
		s.Nodes = s.Nodes[1:]
		s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool { return *slice.Spec.NodeName != s.Nodes[0].Name })
	}, "partition-counters-across-nodes", "pod plain is not scheduled"),
	"scheduler takes counter sets of all pools for one": misread(func(s *fakecluster.Scene) {
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
	}, "partition-pools-are-apart", "pod part should be refused, because its own pool is used up, and only others are free", "claim part was allocated"),
	"scheduler checks each claim of a pod by itself": misread(func(s *fakecluster.Scene) {
		if len(s.Claims) > 1 {
			ignoresCounters("")(s)
		}
	}, "partition-counters-within-a-pod", "pod too-much should be refused, because two of its claims need the same memory slices", "is overdrawn"),
	"scheduler takes capacity for what is consumed": misread(func(s *fakecluster.Scene) {
		forEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			for i := range device.ConsumesCounters {
				device.ConsumesCounters[i].Counters["memory"] = resourceapi.Counter{Value: device.Capacity["memory"].Value}
			}
		})
	}, "partition-capacity-is-no-counter", "pod large-1 is not scheduled"),
	"scheduler never returns counters": misread(remembersClaims(), "partition-release-makes-room-for-other-shapes", "pod large is not scheduled"),
	"scheduler forgets what others hold": misread(func(s *fakecluster.Scene) { s.Objects.Claims = nil },
		"partition-pods-compete-until-full", "14 pods should be scheduled, because so many fit", " pods are scheduled; ", "is allocated 2 times"),
	"scheduler gives partitions for as long as there are devices": misread(ignoresCounters(""),
		"partition-pods-compete-until-full", "14 pods should be scheduled, because so many fit", " pods are scheduled; ", "is overdrawn: 2 of 1 are consumed"),
	"scheduler does not find the last partition": misread(func(s *fakecluster.Scene) {
		if len(s.Objects.Claims) == 13 {
			s.Nodes = nil
		}
	}, "partition-pods-compete-until-full", "14 pods should be scheduled, because so many fit", "13 pods are scheduled; pod-", "waits: PodScheduled: 0/"),
	"scheduler keeps to the first device that fits": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "left" })
		}
	}, "partition-count-fits-together", "pod two is not scheduled"),
	"scheduler looks at each device of a count by itself": misread(func(s *fakecluster.Scene) {
		if s.Claims[0].Spec.Devices.Requests[0].Exactly.Count > 1 {
			ignoresCounters("")(s)
		}
	}, "partition-count-fits-together", "pod three should be refused, because the counters of its devices suffice for two of them at most", "is overdrawn: 4 of 2 are consumed"),
	"scheduler takes all devices of a count from one pool": misread(ignoresPools("-b"), "partition-count-fits-together", "pod four is not scheduled"),
	"scheduler allocates one device of a count": misread(func(s *fakecluster.Scene) { s.Claims[0].Spec.Devices.Requests[0].Exactly.Count = 1 },
		"partition-count-fits-together", "pod three should be refused"),
	"scheduler takes one device for all": misread(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			for _, request := range claim.Spec.Devices.Requests {
				request.Exactly.AllocationMode, request.Exactly.Count = resourceapi.DeviceAllocationModeExactCount, 1
			}
		}
	}, "partition-all-or-none", "pod overlapping should be refused, because all of its devices together need more than there is"),
	"scheduler writes down one device of all": miswrite(func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		results[0].Devices.Results = results[0].Devices.Results[:1]
	}, "partition-all-or-none", "claim halves asks for all devices that it selects"),
	"scheduler counts what has admin access": misread(func(s *fakecluster.Scene) {
		for _, claim := range s.Objects.Claims {
			for i := range claim.Status.Allocation.Devices.Results {
				claim.Status.Allocation.Devices.Results[i].AdminAccess = nil
			}
		}
	}, "partition-admin-access-holds-nothing", "pod left is not scheduled"),
	"scheduler gives back what a claim with admin access saw": misread(forgetsClaimsWithout("monitor"), "partition-admin-access-holds-nothing",
		"should be refused, because left and right are still allocated, whichever monitor has gone", "claim again was allocated"),
	"scheduler gives back a device that a claim with admin access saw": misread(func(s *fakecluster.Scene) {
		if s.Pod.Name == "late" {
			s.Objects.Claims = nil
		}
	}, "partition-admin-access-holds-nothing",
		"pod late should be refused, because claim plain still has the device", "claim late was allocated"),
	"scheduler does not write down that access is for admins": miswrite(func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		results[0].Devices.Results[0].AdminAccess = nil
	}, "partition-admin-access-holds-nothing", "the result for a request with admin access should say so"),

	"scheduler accepts two devices of one name":        misread(repairs("twice"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-duplicate-device was allocated"),
	"scheduler accepts two counter sets of one name":   misread(repairs("same"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-duplicate-counter-set was allocated"),
	"scheduler accepts references to other pools":      misread(dropsConsumer("gpu", "units"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-unknown-counter-set was allocated"),
	"scheduler accepts counters that are not there":    misread(dropsConsumer("gpu", "memory"), "pool-invalid-is-passed-over", inWrongPool, "claim plain-unknown-counter was allocated"),
	"scheduler gives up where one of two pools is bad": misread(blocksNodes, "pool-invalid-is-passed-over", "pod valid-duplicate-device is not scheduled"),
	"scheduler takes all devices of complete pools for all": misread(ignoresPools("-late"), "pool-all-waits-for-every-pool",
		"should stay pending, because it is not known which devices the other pool of their node has", "claim beside-incomplete was allocated"),
	"scheduler takes all devices of valid pools for all": misread(ignoresPools("-wrong"), "pool-all-waits-for-every-pool",
		"should stay pending, because it is not known which devices the other pool of their node has", "claim beside-invalid was allocated"),
	"scheduler never finds a pool complete": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if slice.Spec.Pool.ResourceSliceCount == 2 {
				slice.Spec.Pool.ResourceSliceCount++
			}
		}
	}, "pool-all-waits-for-every-pool", "pod beside-incomplete is not scheduled"),
	"scheduler writes down the devices of one pool for all": miswrite(func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		results[0].Devices.Results = results[0].Devices.Results[:1]
	}, "pool-all-waits-for-every-pool", "claim beside-incomplete asks for all devices of both pools"),
	"scheduler allocates from incomplete pools": misread(func(s *fakecluster.Scene) {
		there := map[string]int64{}
		for _, slice := range s.Objects.Slices {
			there[slice.Spec.Pool.Name]++
		}
		for _, slice := range s.Objects.Slices {
			slice.Spec.Pool.ResourceSliceCount = there[slice.Spec.Pool.Name]
		}
	}, "pool-incomplete-is-not-used", "should be refused, because a slice of the pool on its node is missing"),
	"scheduler does without empty slices": misread(func(s *fakecluster.Scene) {
		s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
			slice.Spec.Pool.ResourceSliceCount = min(2, slice.Spec.Pool.ResourceSliceCount)
			return len(slice.Spec.Devices)+len(slice.Spec.SharedCounters) == 0
		})
	}, "pool-incomplete-is-not-used", "should be refused, because a slice of the pool on its node is missing", "claim pod-2 was allocated"),
	"scheduler takes counters from an older generation": misread(mixesGenerations, "pool-generations-are-not-mixed",
		"pod first should be refused, because the counter set that its device names is in the older generation alone"),
	"scheduler keeps to the pool that it saw first": misread(keepsFirstSight(), "pool-changes-under-allocated-devices",
		"pod second should be refused, because the pool has become smaller, and claim first leaves too little of it"),

	"API server drops what devices consume": {
		cluster: fakecluster.Options{Admit: func(spec *resourceapi.ResourceSliceSpec) {
			for i := range spec.Devices {
				spec.Devices[i].ConsumesCounters = nil
			}
		}},
		spec: "slice-fields-are-kept", want: []string{"the API server should keep all fields of", "gpu-1"},
	},
	"API server accepts whatever is no slice": {
		spec: "slice-mistakes-are-refused",
		want: []string{"the API server should refuse counter sets and devices in one slice, and not answer: <nil>"},
	},
	"API server has no limits": {
		spec: "slice-limits-hold", want: []string{"the API server should refuse 9 counter sets"},
	},
	"API server keeps fields of a feature that it lacks": {
		there: func(there *env.Target) {
			there.Found[features.Partitions] = features.Presence{Source: "it is said to be off"}
		},
		spec: "partition-fields-are-dropped", want: []string{"the API server should drop sharedCounters"},
	},
}

const inWrongPool = "should be refused, because the pool of its device contradicts itself"

var oneUnit = resourceapi.Counter{Value: resource.MustParse("1")}

func misread(by func(*fakecluster.Scene), spec string, want ...string) mistake {
	return mistake{cluster: makes(fakecluster.Mistakes{Misreads: by}), spec: spec, want: want}
}

func miswrite(by func(*fakecluster.Scene, []resourceapi.AllocationResult), spec string, want ...string) mistake {
	return mistake{cluster: makes(fakecluster.Mistakes{Miswrites: by}), spec: spec, want: want}
}

// ignoresCounters makes the scheduler ignore the consumption of counters with
// this prefix.
func ignoresCounters(prefix string) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		forEachConsumption(s, func(c *resourceapi.DeviceCounterConsumption) {
			for name := range c.Counters {
				if strings.HasPrefix(name, prefix) {
					delete(c.Counters, name)
				}
			}
		})
	}
}
