// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// The attributes of the devices of attempts.
const (
	// compared is the attribute that constraints and selectors are about.
	compared = "compared"
	// group has the name of the attempt.
	group = "group"
)

// attempt is a request for devices that differ in an attribute.
type attempt struct {
	// Name is the name of the claim and the pod.
	Name string
	// Devices has the attribute of each device. A device without a value does not
	// have the attribute.
	Devices []resourceapi.DeviceAttribute
	// Count is the number of requested devices. Default: that of the devices.
	Count int64
	// All states that all devices are requested, whatever their number.
	All bool
	// Includes is a value in the syntax of CEL that the attribute must include. It
	// is empty if the request does not select devices by the attribute.
	Includes string
	// Derive is an expression from which the request derives the attribute of the
	// constraint, see [expression]. It is empty for the attribute of the devices.
	Derive string
	// Shadow states that the derived attribute has the name of that of the devices.
	Shadow bool
	// Refused states why the devices must not be allocated. It is empty if they
	// must be.
	Refused string
	// Fails states that the scheduler may report an error about the pod instead of
	// calling it unschedulable.
	Fails bool
}

// constrain returns a constraint on an attribute.
type constrain func(attribute resourceapi.FullyQualifiedName) resourceapi.DeviceConstraint

func match(attribute resourceapi.FullyQualifiedName) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: &attribute}
}

func distinct(attribute resourceapi.FullyQualifiedName) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{DistinctAttribute: &attribute}
}

// expectAttempts publishes the devices of all attempts of a file on one node,
// and creates a pod for each attempt whose claim has the constraint. It asserts
// which of the pods are scheduled. A constraint of nil is none.
func expectAttempts(ctx context.Context, e *env.Env, file string, constraint constrain) {
	ginkgo.GinkgoHelper()
	all := fixture.ReadList[attempt](data, file)
	sim := simulated.CreateNodes(ctx, e, 1)
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory(all))
	refused, failing := map[string]string{}, map[string]string{}
	var accepted []string
	for _, a := range all {
		pods.CreateWithClaim(ctx, e, a.Name, a.claim(sim, constraint))
		switch {
		case a.Refused == "":
			accepted = append(accepted, a.Name)
		case a.Fails:
			failing[a.Name] = a.Refused
		default:
			refused[a.Name] = a.Refused
		}
	}
	pods.WaitForScheduled(ctx, e, accepted...)
	pods.WaitForEachUnschedulable(ctx, e, refused)
	for _, name := range slices.Sorted(maps.Keys(failing)) {
		pods.WaitForPending(ctx, e, failing[name], name)
	}
}

// inventory returns the devices of all attempts.
func inventory(all []attempt) *simulated.Inventory {
	inventory := &simulated.Inventory{}
	for _, a := range all {
		for i, attribute := range a.Devices {
			device := fixture.Devices(fmt.Sprintf("%s-%d", a.Name, i)).Devices[0]
			device.Attributes[group] = resourceapi.DeviceAttribute{StringValue: ptr.To(a.Name)}
			if !isEmpty(attribute) {
				device.Attributes[compared] = attribute
			}
			inventory.Devices = append(inventory.Devices, device)
		}
	}
	return inventory
}

func isEmpty(a resourceapi.DeviceAttribute) bool {
	scalar := a.IntValue != nil || a.BoolValue != nil || a.StringValue != nil || a.VersionValue != nil
	return !scalar && len(a.IntValues)+len(a.BoolValues)+len(a.StringValues)+len(a.VersionValues) == 0
}

// claim returns the claim of an attempt.
func (a attempt) claim(sim *simulated.Nodes, constraint constrain) resourceapi.DeviceClaim {
	of := fmt.Sprintf("device.attributes[%q]", sim.Driver)
	selector := fmt.Sprintf("%s.%s == %q", of, group, a.Name)
	if a.Includes != "" {
		selector += fmt.Sprintf(" && %s.%s.includes(%s)", of, compared, a.Includes)
	}
	count := a.Count
	if count == 0 {
		count = int64(len(a.Devices))
	}
	claim := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: sim.Device(selector), Count: count}})
	if a.All {
		claim.Requests[0].Exactly.AllocationMode, claim.Requests[0].Exactly.Count = resourceapi.DeviceAllocationModeAll, 0
	}
	name := qualified(sim, compared)
	if a.Derive != "" {
		if !a.Shadow {
			name = derived
		}
		claim.Requests[0].Exactly.DerivedAttributes = derive(sim, name, a.Derive)
	}
	if constraint != nil {
		claim.Constraints = []resourceapi.DeviceConstraint{constraint(name)}
	}
	return claim
}

// qualified returns the qualified name of an attribute of the devices.
func qualified(sim *simulated.Nodes, name string) resourceapi.FullyQualifiedName {
	return resourceapi.FullyQualifiedName(sim.Driver + "/" + name)
}
