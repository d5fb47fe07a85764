// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongSelections are clusters whose scheduler reads a part of the constraints, the
// selectors or the devices only, or an earlier version of them.
var wrongSelections = wrong.Table{
	"scheduler applies the first constraint only": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = c.Constraints[:min(1, len(c.Constraints))] }), Spec: "constraints-must-all-hold",
		Want: []string{"pod board should be unschedulable, because its devices are in different zones"},
	},
	"scheduler applies the last constraint only": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = c.Constraints[max(0, len(c.Constraints)-1):] }), Spec: "constraints-must-all-hold",
		Want: []string{"pod zone should be unschedulable, because its devices have different boards"},
	},
	"scheduler compares one device of each request": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if c.Requests[0].Exactly.Count > 1 {
				c.Constraints = nil
			}
		}), Spec: "constraint-covers-each-device",
		Want: []string{"pod unlike should be unschedulable, because the two devices of its request have different groups"},
	},
	"scheduler reads the first selector of a class":   misreadsSelectors(true, func(s []resourceapi.DeviceSelector) []resourceapi.DeviceSelector { return s[:1] }),
	"scheduler reads the last selector of a class":    misreadsSelectors(true, func(s []resourceapi.DeviceSelector) []resourceapi.DeviceSelector { return s[len(s)-1:] }),
	"scheduler reads the first selector of a request": misreadsSelectors(false, func(s []resourceapi.DeviceSelector) []resourceapi.DeviceSelector { return s[:1] }),
	"scheduler reads the last selector of a request":  misreadsSelectors(false, func(s []resourceapi.DeviceSelector) []resourceapi.DeviceSelector { return s[len(s)-1:] }),
	"scheduler keeps the selectors of replaced classes": {
		Options: wrong.Misreads(keepClasses()), Spec: "class-replaced-selects-anew",
		Want: []string{"pod after is not scheduled"},
	},
	"scheduler keeps the first node selectors of slices": {
		Options: wrong.Misreads(keepNodeSelectors()), Spec: "slice-changed-selects-nodes-anew",
		Want: []string{"a pod like former should be pending, because the slice of its device selects the other zone now"},
	},
	"scheduler keeps the first node selectors of slices for pods that wait": {
		Options: wrong.Misreads(keepNodeSelectors()), Spec: "device-changed-is-selected-anew", Want: []string{"pod elsewhere is not scheduled"},
	},
	"scheduler offers changed slices on no node": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "after" {
				s.Objects.Slices = nil
			}
		}), Spec: "slice-changed-selects-nodes-anew",
		Want: []string{"pod after is not scheduled"},
	},
	"scheduler keeps attributes of devices": {
		Options: wrong.Misreads(keepAttributes()), Spec: "device-changed-is-selected-anew",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler keeps capacities of devices": {
		Options: wrong.Misreads(keepCapacities()), Spec: "device-changed-is-selected-anew",
		Want: []string{"pod larger is not scheduled"},
	},
	"scheduler does not retry pods when slices are updated": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "resourceslices"}), Spec: "device-changed-is-selected-anew",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler keeps attributes for all but waiting pods": {
		Options: wrong.Misreads(keepAttributesFor("former")), Spec: "device-changed-is-selected-anew",
		Want: []string{"a pod like former should be pending, because its device is not idle any more"},
	},
	"scheduler reads 31 selectors": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			last := c.Requests[len(c.Requests)-1].Exactly
			last.Selectors = last.Selectors[:min(31, len(last.Selectors))]
		}), Spec: "largest-claim-is-allocated",
		Want: []string{"the device that all selectors and constraints of the last request allow"},
	},
	"scheduler reads 31 constraints": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = c.Constraints[:min(31, len(c.Constraints))] }), Spec: "largest-claim-is-allocated",
		Want: []string{"the device that all selectors and constraints of the last request allow"},
	},
	"scheduler sees 16 slices of a pool": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			keepSixteen(s, func(spec *resourceapi.ResourceSliceSpec) string { return spec.Pool.Name })
		}), Spec: "pools-of-a-node-are-many",
		Want: []string{"pod same is not scheduled"},
	},
	"scheduler sees 16 pools of a node": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			keepSixteen(s, func(spec *resourceapi.ResourceSliceSpec) string { return fmt.Sprint(spec.Pool.ResourceSliceCount) })
		}), Spec: "pools-of-a-node-are-many",
		Want: []string{"pod each is not scheduled"},
	},
	"scheduler sees 64 devices of a slice": {
		Options: misreadsSlices(func(s *resourceapi.ResourceSliceSpec) { s.Devices = s.Devices[:min(64, len(s.Devices))] }), Spec: "large-slice-is-used-up",
		Want: []string{"pod two-claims-1 is not scheduled"},
	},
	"scheduler forgets claims when a slice is used up": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "one-more" {
				s.Objects.Claims = nil
			}
		}), Spec: "large-slice-is-used-up",
		Want: []string{"pod one-more should be unschedulable, because all devices are allocated"},
	},
	"scheduler allocates the claims of a pod one after the other": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) == 2 {
				addSelector(s.Claims[0], s, "card")
			}
		}), Spec: "claims-of-a-pod-leave-devices",
		Want: []string{"pod card is not scheduled"},
	},
	"scheduler takes the last device for the first claim of a pod": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) == 2 {
				addSelector(s.Claims[0], s, "disk")
			}
		}), Spec: "claims-of-a-pod-leave-devices",
		Want: []string{"pod disk is not scheduled"},
	},
	"scheduler reads the class and the selectors of the first request only": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if len(c.Requests) == 2 {
				c.Requests[1].Exactly.DeviceClassName, c.Requests[1].Exactly.Selectors = c.Requests[0].Exactly.DeviceClassName, nil
			}
		}), Spec: "selectors-must-all-match",
		Want: []string{"pod class-later should be unschedulable, because no other device matches all selectors of the class"},
	},
}

// addSelector makes a claim select a device by its name.
func addSelector(claim *resourceapi.ResourceClaim, s *fakecluster.Scene, device string) {
	request := claim.Spec.Devices.Requests[0].Exactly
	wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
		if d.Name == device && slice.Pool.Name == s.Nodes[0].Name {
			expression := fmt.Sprintf("device.driver == %[1]q && device.attributes[%[1]q].name == %[2]q", slice.Driver, device)
			request.Selectors = append(request.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
		}
	})
}

// misreadsSelectors returns a cluster whose scheduler reads a part of several selectors
// of a class, or of a request.
func misreadsSelectors(ofClass bool, part func([]resourceapi.DeviceSelector) []resourceapi.DeviceSelector) wrong.Cluster {
	change := func(s *[]resourceapi.DeviceSelector) {
		if len(*s) > 1 {
			*s = part(*s)
		}
	}
	if ofClass {
		return wrong.Cluster{Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				change(&class.Spec.Selectors)
			}
		}), Spec: "selectors-must-all-match", Want: []string{"pod class-again should be unschedulable, because no other device matches all selectors of the class"}}
	}
	return wrong.Cluster{
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Claims {
				change(&claim.Spec.Devices.Requests[0].Exactly.Selectors)
			}
		}), Spec: "selectors-must-all-match", Want: []string{"claim request"},
	}
}

// keepClasses makes the scheduler see each class as it was when it first existed.
func keepClasses() func(*fakecluster.Scene) {
	first := map[string]*resourceapi.DeviceClass{}
	return func(s *fakecluster.Scene) {
		for i, class := range s.Objects.Classes {
			if first[class.Name] == nil {
				first[class.Name] = class
			}
			s.Objects.Classes[i] = first[class.Name]
		}
	}
}

// keepSixteen makes the scheduler see 16 slices of each group, as complete pools.
func keepSixteen(s *fakecluster.Scene, group func(*resourceapi.ResourceSliceSpec) string) {
	const most = 16
	seen := map[string]int{}
	s.Objects.Slices = slices.DeleteFunc(s.Objects.Slices, func(slice *resourceapi.ResourceSlice) bool {
		of := group(&slice.Spec)
		seen[of]++
		slice.Spec.Pool.ResourceSliceCount = min(most, slice.Spec.Pool.ResourceSliceCount)
		return seen[of] > most
	})
}

// keepNodeSelectors makes the scheduler see each slice with its first node selector.
func keepNodeSelectors() func(*fakecluster.Scene) {
	first := map[string]*corev1.NodeSelector{}
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if first[slice.Name] == nil {
				first[slice.Name] = slice.Spec.NodeSelector
			}
			slice.Spec.NodeSelector = first[slice.Name]
		}
	}
}

// keepAttributes makes the scheduler see the attributes that each device had first.
func keepAttributes() func(*fakecluster.Scene) { return keepAttributesFor("") }

// keepAttributesFor makes the scheduler see the attributes that each device had first,
// for pods whose names begin with a prefix.
func keepAttributesFor(prefix string) func(*fakecluster.Scene) {
	first := map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			id := wrong.DeviceID(slice, device)
			if first[id] == nil {
				first[id] = device.Attributes
			}
			if strings.HasPrefix(s.Pod.Name, prefix) {
				device.Attributes = first[id]
			}
		})
	}
}

// keepCapacities makes the scheduler see the capacities that each device had first.
func keepCapacities() func(*fakecluster.Scene) {
	first := map[string]map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
	return func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, device *resourceapi.Device) {
			id := wrong.DeviceID(slice, device)
			if first[id] == nil {
				first[id] = device.Capacity
			}
			device.Capacity = first[id]
		})
	}
}
