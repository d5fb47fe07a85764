// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// a100s returns the GPUs of the example in KEP-4815 on one node, with all of
// their partitions. In addition to the attributes of the model, they have the
// attribute place: "<profile>@<first memory slice>", or "whole".
func a100s(node string, count int) *simulated.Inventory {
	inventory := simulated.GPUs("a100-40gb", node, count)
	for _, device := range inventory.Devices {
		place := "whole"
		if profile, ok := device.Attributes[simulated.AttributeProfile]; ok {
			place = fmt.Sprintf("%s@%d", *profile.StringValue, *device.Attributes[simulated.AttributePlacement].IntValue)
		}
		device.Attributes["place"] = resourceapi.DeviceAttribute{StringValue: &place}
	}
	return inventory
}

// deviceAt selects devices at any of the places on any GPU, see [a100s].
func deviceAt(s *simulated.Nodes, places ...string) subject.Device {
	return s.Device(fmt.Sprintf("device.attributes[%q].place in [%s]", s.Driver, quoted(places)))
}

// deviceOnGPU selects devices at any of the places on one GPU of the node.
func deviceOnGPU(s *simulated.Nodes, index int, places ...string) subject.Device {
	device := deviceAt(s, places...)
	device.Selector += subject.Selector(fmt.Sprintf(" && device.attributes[%q].index == %d", s.Driver, index))
	return device
}

func quoted(words []string) string {
	quoted := make([]string, 0, len(words))
	for _, word := range words {
		quoted = append(quoted, fmt.Sprintf("%q", word))
	}
	return strings.Join(quoted, ", ")
}

// requestsFor returns one request for each of the devices.
func requestsFor(wanted ...subject.Device) []devices.Request {
	var requests []devices.Request
	for i, device := range wanted {
		requests = append(requests, devices.Request{Name: fmt.Sprintf("device-%d", i), Device: device})
	}
	return requests
}

// sameGPU returns the constraint that the partitions of the given requests are
// of one GPU. Without requests, it applies to all requests of the claim.
func sameGPU(s *simulated.Nodes, requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{
		MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(s.Driver + "/" + simulated.AttributeParentUUID)), Requests: requests,
	}
}
