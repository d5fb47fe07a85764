package specs_test

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/suite/env"
)

// misreadsAlternatives returns a cluster whose scheduler sees changed
// subrequests in the first request of claims.
func misreadsAlternatives(change func([]resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest) fakecluster.Options {
	return misreadsClaims(func(c *resourceapi.DeviceClaim) { c.Requests[0].FirstAvailable = change(c.Requests[0].FirstAvailable) })
}

// misstores returns a cluster whose API server changes the devices of claims or
// slices when it stores them.
func misstores(kind string, change func(any)) fakecluster.Options {
	return makes(fakecluster.Mistakes{Misstores: func(object map[string]any) {
		if object["kind"] == kind {
			change(object["spec"].(map[string]any)["devices"])
		}
	}})
}

// wrongPrioritizedList are clusters with faults of prioritized lists.
var wrongPrioritizedList = map[string]mistake{
	"scheduler does not look for nodes with the first alternative": {
		cluster: misreads(func(s *fakecluster.Scene) { s.Nodes = s.Nodes[:min(len(s.Nodes), 1)] }),
		spec:    "prioritized-list-prefers-nodes-with-first",
		want:    []string{"the devices of claim first-1 should be for [list/rare], because one node has the first alternative", "list/common"},
	},
	"scheduler looks for nodes with no later alternative than the first": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "second-") {
				s.Nodes = s.Nodes[:min(len(s.Nodes), 1)]
			}
		}),
		spec: "prioritized-list-prefers-nodes-with-first",
		want: []string{"the devices of claim second-1 should be for [list/rare], because no node has the first alternative and one has the second"},
	},
	"scheduler looks for nodes with alternatives of the first list": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if strings.HasPrefix(s.Pod.Name, "last-list-") {
				s.Nodes = s.Nodes[:min(len(s.Nodes), 1)]
			}
		}),
		spec: "prioritized-list-prefers-nodes-with-first",
		want: []string{"the devices of claim last-list-1 should be for [one/common two/rare]"},
	},
	"scheduler finds no node for pods with claims that are allocated already": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if len(s.Pod.Spec.ResourceClaims) > len(s.Claims) {
				s.Nodes = nil
			}
		}),
		spec: "prioritized-list-goes-with-allocated-claims",
		want: []string{"while waiting until pod pod-0 is scheduled"},
	},
	"scheduler has no preference for pods with claims that are allocated already": {
		cluster: misreads(func(s *fakecluster.Scene) {
			if len(s.Pod.Spec.ResourceClaims) > len(s.Claims) {
				s.Nodes = s.Nodes[:1]
			}
		}),
		spec: "prioritized-list-goes-with-allocated-claims",
		want: []string{"the devices of claim pod-1 should be for [list/rare], because one node has the first alternative", "list/common"},
	},
	"scheduler allocates the first claim of a pod alone": {
		cluster: misreads(func(s *fakecluster.Scene) { s.Claims = s.Claims[:min(len(s.Claims), 1)] }),
		spec:    "prioritized-list-goes-with-other-claims",
		want:    []string{"claim same-device-1 should have what its requests and constraints ask for"},
	},
	"scheduler keeps the first alternative of a claim against others": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) {
			if len(c.Requests[0].FirstAvailable) > 1 {
				c.Requests[0].FirstAvailable = c.Requests[0].FirstAvailable[:1]
			}
		}),
		spec: "prioritized-list-goes-with-other-claims",
		want: []string{"while waiting until pod same-device is scheduled", "cannot allocate all claims"},
	},
	"scheduler takes one device instead of all": {
		cluster: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				all[i].AllocationMode, all[i].Count = resourceapi.DeviceAllocationModeExactCount, 1
			}
			return all
		}),
		spec: "prioritized-list-takes-all-devices",
		want: []string{"the devices of claim free should be for [list/card list/card], because both cards are free"},
	},
	"scheduler takes all devices that are left": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				var left []resourceapi.Device
				for _, device := range slice.Spec.Devices {
					if sharesIn(s, device.Name) == 0 {
						left = append(left, device)
					}
				}
				slice.Spec.Devices = left
			}
		}),
		spec: "prioritized-list-takes-all-devices",
		want: []string{"the devices of claim late should be for [list/disk], because claim holder has one of the cards", "list/card"},
	},
	"scheduler fails for alternatives beyond the limit": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) {
			if c.Requests[0].FirstAvailable[0].Count == 2 {
				c.Requests[1].FirstAvailable = c.Requests[1].FirstAvailable[:1]
			}
		}),
		spec: "prioritized-list-keeps-to-limit-of-results",
		want: []string{"while waiting until pod beyond is scheduled"},
	},
	"scheduler has a lower limit": {
		cluster: misreadsClaims(func(c *resourceapi.DeviceClaim) {
			c.Requests[1].FirstAvailable = c.Requests[1].FirstAvailable[1:]
		}),
		spec: "prioritized-list-keeps-to-limit-of-results",
		want: []string{"the devices of claim within should be for", "because an allocation has room for both", "list/disk"},
	},
	"scheduler ignores classes of alternatives": {
		cluster: misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				if strings.HasSuffix(class.Name, "-fast") {
					class.Spec.Selectors = nil
				}
			}
		}),
		spec: "prioritized-list-selects-by-alternative",
		want: []string{"the devices of claim list should be for [list/slow-y], because no device is both of the class fast and called -x", "list/fast-x"},
	},
	"scheduler reads one selector of an alternative": {
		cluster: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				all[i].Selectors = all[i].Selectors[:min(len(all[i].Selectors), 1)]
			}
			return all
		}),
		spec: "prioritized-list-selects-by-alternative",
		want: []string{"the device that both selectors accept", "slow-x"},
	},
	"scheduler ignores taints": {
		cluster: misreadsDevices(func(d *resourceapi.Device) { d.Taints = nil }),
		spec:    "prioritized-list-tolerates-by-alternative",
		want:    []string{"the devices of claim tolerant should be for [list/tolerant]", "list/intolerant"},
	},
	"scheduler takes tolerations of one alternative for all": {
		cluster: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				if len(all) > 1 && i != 1 {
					all[i].Tolerations = all[1].Tolerations
				}
			}
			return all
		}),
		spec: "prioritized-list-tolerates-by-alternative",
		want: []string{"the devices of claim tolerant should be for [list/tolerant]", "list/intolerant"},
	},
	"scheduler does not see tolerations of alternatives": {
		cluster: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			for i := range all {
				all[i].Tolerations = nil
			}
			return all
		}),
		spec: "prioritized-list-tolerates-by-alternative",
		want: []string{"the devices of claim tolerant should be for [list/tolerant]", "list/disk"},
	},
	"scheduler prefers the smallest alternative": {
		cluster: misreadsAlternatives(func(all []resourceapi.DeviceSubRequest) []resourceapi.DeviceSubRequest {
			return append(all[min(len(all), 2):], all[:min(len(all), 2)]...)
		}),
		spec: "prioritized-list-uses-up-parent",
		want: []string{"the devices of claim second should be for [list/half], because three quarters are left", "list/quarter"},
	},
	"scheduler does not return counters of partitions to lists": {
		cluster: misreads(neverForgets()),
		spec:    "prioritized-list-uses-up-parent",
		want:    []string{"while waiting until pod fourth is scheduled"},
	},
	"API server counts devices of first alternatives alone": {
		cluster: fakecluster.Options{Mistakes: fakecluster.Mistakes{ChargesFirst: true}},
		spec:    "prioritized-list-needs-quota-for-each",
		want:    []string{"the quota should count what each alternative of the claims needs"},
	},
	"API server takes whatever claims say": {
		spec: "prioritized-list-is-validated",
		want: []string{
			"9 alternatives: is taken, and should be refused because of spec.devices.requests[0].firstAvailable",
			"33 selectors: is taken", "two alternatives of one name: is taken", "an alternative without a class: is taken", "a negative count: is taken",
			"neither exactly nor alternatives: is taken", "admin access for an alternative: adminAccess should be dropped",
			"alternatives of an alternative: inner should be dropped", "a constraint for an alternative that is not there: is taken",
		},
	},
	"API server loses alternatives": {
		cluster: misstores("ResourceClaim", func(devices any) {
			for _, request := range devices.(map[string]any)["requests"].([]any) {
				delete(request.(map[string]any), "firstAvailable")
			}
		}),
		spec: "prioritized-list-is-validated",
		want: []string{"8 alternatives: spec.devices.requests[0].firstAvailable should have 8 items, and has 0"},
	},
	"API server keeps versions apart": {
		spec: "prioritized-list-in-every-version",
		want: []string{"claim flat should be there in v1"},
	},
	"API server takes whatever slices say": {
		spec: "shared-device-is-validated",
		want: []string{
			"a policy of a device that is not shared: is taken, and should be refused because of spec.devices[0].capacity",
			"both values and a range: is taken", "values without a default: is taken",
		},
	},
	"API server loses policies": {
		cluster: misstores("ResourceSlice", func(devices any) {
			for _, device := range devices.([]any) {
				delete(device.(map[string]any)["capacity"].(map[string]any)["memory"].(map[string]any), "requestPolicy")
			}
		}),
		spec: "shared-device-is-validated",
		want: []string{"a default: spec.devices[0].capacity.memory.requestPolicy"},
	},
	"API server keeps fields of a feature that is off": {
		there: func(s *env.Target) { delete(s.Found, features.SharedDevices) },
		spec:  "shared-device-fields-dropped",
		want:  []string{"a shared device: allowMultipleAllocations should be dropped", "a policy: requestPolicy should be dropped", `capacity of a request: "capacity" should be dropped`},
	},
}
