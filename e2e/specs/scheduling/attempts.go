// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attempt is a request for a device.
type attempt struct {
	// Name is the name of the device, and of the claim and the pod for it.
	Name string
	// Attributes and Capacity are those of the device. The domain own is that of
	// the driver.
	Attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
	Capacity   map[resourceapi.QualifiedName]resourceapi.DeviceCapacity
	// Selector is an expression for [withOwn].
	Selector string
	// Refused states why the selector does not match the device. It is empty if it
	// does.
	Refused string
}

// expectAttempts publishes the device of each attempt of a file on a node, and
// asserts which of them are allocated.
func expectAttempts(ctx context.Context, e *env.Env, file string) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	all := fixture.ReadList[attempt](data, file)
	sim := simulated.CreateNodes(ctx, e, 1)
	inventory := &simulated.Inventory{}
	for _, a := range all {
		inventory.Devices = append(inventory.Devices, a.device(sim))
	}
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
	var matching []string
	refused := map[string]string{}
	for _, a := range all {
		named := fixture.RequestFor(sim, a.Name)
		named[0].Device.Selector += " && " + subject.Selector(withOwn(sim, a.Selector))
		pods.CreateWithRequests(ctx, e, a.Name, named)
		if a.Refused == "" {
			matching = append(matching, a.Name)
		} else {
			refused[a.Name] = a.Refused
		}
	}
	pods.WaitForScheduled(ctx, e, matching...)
	if len(refused) > 0 {
		pods.WaitForEachUnschedulable(ctx, e, refused)
	}
	return sim
}

// device returns the device of an attempt.
func (a attempt) device(sim *simulated.Nodes) resourceapi.Device {
	device := fixture.Devices(a.Name).Devices[0]
	for name, value := range a.Attributes {
		device.Attributes[inDomainOf(sim, name)] = value
	}
	device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
	for name, value := range a.Capacity {
		device.Capacity[inDomainOf(sim, name)] = value
	}
	return device
}

// inDomainOf replaces the domain own of a name by that of the driver.
func inDomainOf(sim *simulated.Nodes, name resourceapi.QualifiedName) resourceapi.QualifiedName {
	if own, ok := strings.CutPrefix(string(name), "own/"); ok {
		return ownName(sim, own)
	}
	return name
}

// ownName returns the name of an attribute or a capacity in the domain of the
// driver.
func ownName(sim *simulated.Nodes, name string) resourceapi.QualifiedName {
	return resourceapi.QualifiedName(sim.Driver + "/" + name)
}

// withOwn returns a selector in which own stands for the attributes, and amounts
// for the capacities, in the domain of the driver.
func withOwn(sim *simulated.Nodes, expression string) string {
	return fmt.Sprintf("cel.bind(own, device.attributes[%q], cel.bind(amounts, device.capacity[%q], %s))", sim.Driver, sim.Driver, expression)
}

// same returns the constraint that all devices of a claim have the same value of an
// attribute.
func same(attribute resourceapi.QualifiedName) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(attribute))}
}

// withStrings returns a device with these attributes, in addition to its name.
func withStrings(name string, attributes map[resourceapi.QualifiedName]string) resourceapi.Device {
	device := fixture.Devices(name).Devices[0]
	for attribute, value := range attributes {
		device.Attributes[attribute] = resourceapi.DeviceAttribute{StringValue: &value}
	}
	return device
}
