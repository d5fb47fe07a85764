package specs_test

import (
	"bytes"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/fakedriver/affinity"
)

// wrongAffinity are clusters with faults of sharing affinity.
var wrongAffinity = map[string]mistake{
	"scheduler knows nothing of affinity": {
		cluster: misreads(declareNothing),
		spec:    "affinity-other-values-get-another-device",
		want:    []string{"claims with different values should not share a device"},
	},
	"scheduler takes claims without an entry for such as agree": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if len(s.Claims[0].Spec.Devices.Config) == 0 {
				declareNothing(s)
			}
		}),
		spec: "affinity-entry-decides",
		want: []string{"pod no-entry should be refused, because the claim has no entry"},
	},
	"scheduler takes equal entries for one": {
		cluster: misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.CompactFunc(*config, func(a, b resourceapi.DeviceClaimConfiguration) bool {
				return bytes.Equal(a.Opaque.Parameters.Raw, b.Opaque.Parameters.Raw)
			})
		}),
		spec: "affinity-entry-decides",
		want: []string{"pod equal-entries should be refused, because the claim has two entries, equal though they are"},
	},
	"scheduler takes anything for a string": {
		cluster: misreads(func(s *fakecluster.Scene) { rewrite(s.Claims, `{"int":1}`, `{"string":"1"}`) }),
		spec:    "affinity-entry-decides",
		want:    []string{"pod number should be refused, because the value is a number"},
	},
	"scheduler takes any version of the entry": {
		cluster: misreads(func(s *fakecluster.Scene) { rewrite(s.Claims, `"resource.k8s.io/v1"`, `"resource.k8s.io/v1alpha1"`) }),
		spec:    "affinity-entry-decides",
		want:    []string{"pod another-version should be refused, because the entry is of another apiVersion"},
	},
	"scheduler refuses keys that the device lacks": {
		cluster: misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool {
				return bytes.Contains(c.Opaque.Parameters.Raw, []byte("/vlan"))
			})
		}),
		spec: "affinity-entry-decides",
		want: []string{"pod extra-value is not scheduled"},
	},
	"scheduler loses what is for drivers": {
		cluster: makes(fakecluster.Mistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				results[i].Devices.Config = slices.DeleteFunc(results[i].Devices.Config, func(c resourceapi.DeviceAllocationConfiguration) bool {
					return c.Opaque.Driver != affinity.EntryDriver
				})
			}
		}}),
		spec: "affinity-entry-decides",
		want: []string{"the allocation should have what the claim configures for drivers"},
	},
	"scheduler compares the first key alone": {
		cluster: misreads(func(s *fakecluster.Scene) {
			rewrite(slices.Concat(s.Claims, s.Objects.Claims), `(/pkey":{"string":")[^"]*`, "${1}any")
		}),
		spec: "affinity-lock-decides",
		want: []string{"pod other-second should be refused, because the device is locked to another value for its second key"},
	},
	"scheduler infers values": {
		cluster: misreads(infer),
		spec:    "affinity-lock-decides",
		want:    []string{"pod unknown should be refused, because the claim on the device states nothing"},
	},
	"scheduler demands values of all shared devices": {
		cluster: misreads(func(s *fakecluster.Scene) { declareAll(s, "nic.draconform.dev/subnet") }),
		spec:    "affinity-not-declared-shares",
		want:    []string{"pod nobody-states-held-0 is not scheduled"},
	},
	"scheduler takes a claim's first entry for all requests": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if config := s.Claims[0].Spec.Devices.Config; len(config) > 0 {
				config[0].Requests = nil
				s.Claims[0].Spec.Devices.Config = config[:1]
			}
		}),
		spec: "affinity-requests-apart",
		want: []string{"pod two-same is not scheduled"},
	},
	"scheduler ignores entries that name no request": {
		cluster: misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool { return len(c.Requests) == 0 })
		}),
		spec: "affinity-requests-apart",
		want: []string{"pod all is not scheduled"},
	},
	"scheduler ignores entries for alternatives": {
		cluster: misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool {
				return slices.ContainsFunc(c.Requests, func(name string) bool { return strings.Contains(name, "/") })
			})
		}),
		spec: "affinity-states-by-alternative",
		want: []string{"pod each is not scheduled"},
	},
	"scheduler prefers entries for alternatives to those for their requests": {
		cluster: misreads(func(s *fakecluster.Scene) {
			config := &s.Claims[0].Spec.Devices.Config
			if len(*config) > 1 {
				*config = slices.DeleteFunc(*config, func(c resourceapi.DeviceClaimConfiguration) bool { return slices.Contains(c.Requests, "list") })
			}
		}),
		spec: "affinity-states-by-alternative",
		want: []string{"pod twice should be refused", "one entry is for the slow one and one for its request"},
	},
	"scheduler keeps the first device that it tries for a request": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "needs-") {
				selectors := &s.Claims[0].Spec.Devices.Requests[0].Exactly.Selectors
				*selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: `device.attributes["draconform-test-1.draconform.dev"].name == "one"`}}}
			}
		}),
		spec: "affinity-backtracking-unlocks",
		want: []string{"pod needs-one is not scheduled"},
	},
	"scheduler leaves locks of claims that it refuses": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "other" {
				declareAll(s, "nic.draconform.dev/locked")
			}
		}),
		spec: "affinity-backtracking-unlocks",
		want: []string{"pod other is not scheduled"},
	},
	"scheduler looks at the claims of a pod one by one": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "different" {
				rewrite(s.Claims, `"b"`, `"a"`)
			}
		}),
		spec: "affinity-claims-of-one-pod",
		want: []string{"pod different should be refused, because its claims state different values for the only device", "claim different-0 was allocated"},
	},
	"scheduler serves one claim of a pod from a device": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "same" {
				rewrite(s.Claims[:1], `"b"`, `"a"`)
			}
		}),
		spec: "affinity-claims-of-one-pod",
		want: []string{"pod same is not scheduled"},
	},
	"scheduler knows locked devices by their names": {
		cluster: misreads(mixUpPools),
		spec:    "affinity-lock-of-one-pool",
		want:    []string{"pod elsewhere is not scheduled"},
	},
	"scheduler takes empty values for none": {
		cluster: misreads(func(s *fakecluster.Scene) { rewrite(s.Claims, `\{"string":""\}`, `{}`) }),
		spec:    "affinity-entry-decides",
		want:    []string{"pod empty-value is not scheduled"},
	},
	"scheduler compares all keys but the last of many": {
		cluster: misreads(func(s *fakecluster.Scene) {
			rewrite(slices.Concat(s.Claims, s.Objects.Claims), `(/rail":\{"string":")[^"]*`, "${1}any")
		}),
		spec: "affinity-lock-decides",
		want: []string{"pod other-last should be refused, because the device is locked to another value for the last of its keys"},
	},
	"scheduler locks pools": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				results := &claim.Status.Allocation.Devices.Results
				for _, device := range s.Objects.Slices[len(s.Objects.Slices)-1].Spec.Devices {
					other := (*results)[0]
					other.Device = device.Name
					*results = append(*results, other)
				}
			}
		}),
		spec: "affinity-other-values-get-another-device",
		want: []string{"pod b is not scheduled"},
	},
	"scheduler looks at locks and not at capacity": {
		cluster: misreads(enlarge),
		spec:    "affinity-capacity-first",
		want:    []string{"pod more should be refused, because all slots of the device are taken"},
	},
	"scheduler takes the first node that fits": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "joins") {
				s.Nodes = s.Nodes[:1]
			}
		}),
		spec: "affinity-locked-device-preferred",
		want: []string{"pod joins should have device middle-1, because it is locked to the claim's value and the others are clean"},
	},
	"scheduler does not see who came just before": {
		cluster: misreads(func(s *fakecluster.Scene) {
			enlarge(s)
			s.Objects.Claims = nil
		}),
		spec: "affinity-one-of-competing-values-wins",
		want: []string{"the pods with one of the values should be scheduled", "pods a-0 and b-0 state different values and are both scheduled"},
	},
}
