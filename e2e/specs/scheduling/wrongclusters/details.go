// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDetails are clusters whose scheduler is right about the usual values, names and
// objects, and wrong about others.
var wrongDetails = wrong.Table{
	"scheduler takes zero for no value": {
		Options: misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
			for name, a := range all {
				if a.IntValue != nil && *a.IntValue == 0 || a.StringValue != nil && *a.StringValue == "" {
					delete(all, name)
				}
			}
		}),
		Spec: "match-attribute-compares-types", Want: []string{"pod same-zero is not scheduled"},
	},
	"scheduler reads quantities as floating-point numbers": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			for name, c := range d.Capacity {
				if value := c.Value; value.Cmp(*resource.NewQuantity(1<<53, resource.DecimalSI)) > 0 {
					d.Capacity[name] = resourceapi.DeviceCapacity{Value: *resource.NewQuantity(int64(value.AsApproximateFloat64()), resource.DecimalSI)}
				}
			}
		}),
		Spec: "capacities-compare-by-quantity", Want: []string{"pod more-than-53-bits is not scheduled"},
	},
	"scheduler does not know how to normalize versions": {
		Options: misreadsClaimsAndClasses(func(expression string) string {
			return strings.ReplaceAll(expression, `semver("v1.2", true)`, `semver("v1.2")`)
		}),
		Spec: "attributes-compare-by-type", Want: []string{"pod normalized-version is not scheduled"},
	},
	"scheduler knows no regular expressions": {
		Options: misreadsClaimsAndClasses(func(expression string) string { return strings.ReplaceAll(expression, ".matches(", ".contains(") }),
		Spec:    "attributes-compare-by-type", Want: []string{"pod pattern is not scheduled"},
	},
	"scheduler cannot add quantities": {
		Options: misreadsClaimsAndClasses(func(expression string) string { return strings.ReplaceAll(expression, `.add(quantity("512Mi"))`, "") }),
		Spec:    "capacities-compare-by-quantity", Want: []string{"pod sum is not scheduled"},
	},
	"scheduler selects nodes by their host names": {
		Options: miswritesSelectors(func(a *resourceapi.AllocationResult, _ *fakecluster.Scene) {
			if a.NodeSelector == nil {
				return
			}
			for i := range a.NodeSelector.NodeSelectorTerms {
				term := &a.NodeSelector.NodeSelectorTerms[i]
				for _, field := range term.MatchFields {
					field.Key = corev1.LabelHostname
					term.MatchExpressions = append(term.MatchExpressions, field)
				}
				term.MatchFields = nil
			}
		}),
		Spec: "slice-selection-is-in-allocation", Want: []string{"the allocation of claim local should select the nodes of the slices of its devices"},
	},
	"scheduler needs the class of claims that are allocated": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "user" && !slices.ContainsFunc(s.Objects.Classes, func(c *resourceapi.DeviceClass) bool { return strings.HasSuffix(c.Name, "-brief") }) {
				s.Nodes = nil
			}
		}),
		Spec: "class-deleted-keeps-pods-waiting", Want: []string{"pod user is not scheduled"},
	},
	"scheduler needs the slices of devices that are allocated": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "user" && !slices.ContainsFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool { return strings.HasSuffix(slice.Spec.Pool.Name, "-spare") }) {
				s.Nodes = nil
			}
		}),
		Spec: "slice-deleted-takes-devices-away", Want: []string{"claim holder should be reserved for 2 consumers, because a pod can use a claim that is allocated"},
	},
	"scheduler forgets allocations of devices without slices": {
		Options: wrong.Misreads(wrong.ForgetHolders()),
		Spec:    "slice-deleted-takes-devices-away", Want: []string{"pod late should be unschedulable, because its device was allocated before its slice was deleted, and still is"},
	},
	"scheduler counts pods only as users of claims": {
		Options: wrong.With(fakecluster.SchedulerMistakes{CountsPodsOnly: true}), Spec: "used-allocation-stays-for-others",
		Want: []string{"claim foreign of a scheduled pod should be allocated"},
	},
	"scheduler selects nothing by classes without selectors": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				if len(class.Spec.Selectors) == 0 {
					class.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: "false"}}}
				}
			}
		}),
		Spec: "devices-are-told-apart", Want: []string{"pod all-pools is not scheduled"},
	},
	"scheduler compares generations of all drivers": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			newest := map[string]int64{}
			for _, slice := range s.Objects.Slices {
				newest[slice.Spec.Pool.Name] = max(newest[slice.Spec.Pool.Name], slice.Spec.Pool.Generation)
			}
			s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
				return slice.Spec.Pool.Generation < newest[slice.Spec.Pool.Name]
			})
		}),
		Spec: "devices-are-told-apart", Want: []string{"pod all-pools is not scheduled"},
	},
	"scheduler joins the names of pools and devices by a dash": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				for i := range claim.Status.Allocation.Devices.Results {
					result := &claim.Status.Allocation.Devices.Results[i]
					if pool, ok := strings.CutSuffix(result.Pool, "/left"); ok {
						result.Pool, result.Device = pool+"/left-right", "card"
					} else if pool, ok := strings.CutSuffix(result.Pool, "/left-right"); ok {
						result.Pool, result.Device = pool+"/left", "right-card"
					}
				}
			}
		}),
		Spec: "devices-are-told-apart", Want: []string{"is not scheduled"},
	},
	"scheduler takes all devices of a request from one pool": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "all-pools" && len(s.Objects.Slices) > 0 {
				s.Objects.Slices = s.Objects.Slices[:1]
			}
		}),
		Spec: "devices-are-told-apart", Want: []string{"pod all-pools is not scheduled"},
	},
	"scheduler copies the first entry of the configuration of a class": {
		Options: miswritesConfig(func(config []resourceapi.DeviceAllocationConfiguration) []resourceapi.DeviceAllocationConfiguration {
			return slices.DeleteFunc(config, func(c resourceapi.DeviceAllocationConfiguration) bool {
				return strings.Contains(string(c.Opaque.Parameters.Raw), "also-")
			})
		}),
		Spec: "class-configures-its-requests", Want: []string{"should have the configuration of its class and no other, followed by its own"},
	},
	"scheduler puts the configuration of claims first": {
		Options: miswritesConfig(func(config []resourceapi.DeviceAllocationConfiguration) []resourceapi.DeviceAllocationConfiguration {
			slices.SortStableFunc(config, func(a, b resourceapi.DeviceAllocationConfiguration) int {
				return strings.Compare(string(a.Source), string(b.Source))
			})
			return config
		}),
		Spec: "class-configures-its-requests", Want: []string{"should have the configuration of its class and no other, followed by its own"},
	},
	"scheduler repeats configurations for each request": {
		Options: miswritesConfig(func(config []resourceapi.DeviceAllocationConfiguration) []resourceapi.DeviceAllocationConfiguration {
			var all []resourceapi.DeviceAllocationConfiguration
			for _, entry := range config {
				all = append(all, slices.Repeat([]resourceapi.DeviceAllocationConfiguration{entry}, max(1, len(entry.Requests)))...)
			}
			return all
		}),
		Spec: "configuration-of-several-requests", Want: []string{"request a should have each configuration that the claim has for it, once"},
	},
	"scheduler writes configurations for the first request that they name": {
		Options: miswritesConfig(func(config []resourceapi.DeviceAllocationConfiguration) []resourceapi.DeviceAllocationConfiguration {
			for i := range config {
				config[i].Requests = config[i].Requests[:min(1, len(config[i].Requests))]
			}
			return config
		}),
		Spec: "configuration-of-several-requests", Want: []string{"request c should have each configuration that the claim has for it, once"},
	},
	"scheduler writes numbers of parameters as floating-point numbers": {
		Options: miswritesConfig(func(config []resourceapi.DeviceAllocationConfiguration) []resourceapi.DeviceAllocationConfiguration {
			for i := range config {
				var parameters map[string]any
				if err := json.Unmarshal(config[i].Opaque.Parameters.Raw, &parameters); err != nil {
					panic(err)
				}
				opaque := config[i].Opaque.DeepCopy()
				opaque.Parameters.Raw, _ = json.Marshal(parameters) // It was JSON before.
				config[i].Opaque = opaque
			}
			return config
		}),
		Spec: "class-changed-configures-anew", Want: []string{"the parameters for request", "should be those of the DeviceClass or the claim"},
	},
	"scheduler remembers the devices of each node apart": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Status.Allocation.NodeSelector == nil })
		}),
		Spec: "competing-pods-get-different-devices", Want: []string{"/fabric/card-", "is allocated", "times as a whole"},
	},
}

// miswritesConfig returns the options of a cluster whose scheduler changes the configuration
// of allocations.
func miswritesConfig(change func([]resourceapi.DeviceAllocationConfiguration) []resourceapi.DeviceAllocationConfiguration) fakecluster.Options {
	return miswritesSelectors(func(a *resourceapi.AllocationResult, _ *fakecluster.Scene) {
		a.Devices.Config = change(a.Devices.Config)
	})
}
