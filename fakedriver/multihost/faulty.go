// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/topology"
	"github.com/draconform/draconform/internal/fault"
)

// misdescribed returns a pool with the mistakes of a controller with a fault.
// Without a fault it returns the pool.
func misdescribed(pool *topology.Pool) *topology.Pool {
	for i := range pool.Devices {
		device := &pool.Devices[i]
		hosts := device.Attributes[topology.AttributeHosts].IntValue
		switch {
		case fault.MisstatesShapes && *hosts == 1:
			shape := device.Attributes[topology.AttributeShape]
			shape.StringValue = ptr.To(shapeOfTwoHosts)
			device.Attributes[topology.AttributeShape] = shape
		case fault.PublishesWithoutCounters:
			device.ConsumesCounters = nil
		}
	}
	return pool
}

// shapeOfTwoHosts is the shape of devices of two hosts in the topology 4x4.
const shapeOfTwoHosts = "2x4"
