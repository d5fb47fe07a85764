// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// The needs of specs about partitions of a known parent. Partitions are often created
// when a claim is prepared, and removed when it is unprepared, unlike the devices that specs
// about exclusive devices use.
var (
	partitionFeatures = []features.Feature{features.Core, features.Partitions}
	partitionKinds    = []subject.Kind{subject.KindPartition}
	parentFields      = []subject.Field{subject.PartitionParents}
)

// findPartitionOnNode returns a partition on a node that has such devices.
func findPartitionOnNode(ctx context.Context, e *env.Env) deviceOnNode {
	ginkgo.GinkgoHelper()
	partition := e.Subject.Partitions.Small
	return deviceOnNode{partition, devices.WaitForNodeWithDevices(ctx, e, partition.Driver)}
}

// ofParentOf returns such a device of the parent of an allocated device.
func (d deviceOnNode) ofParentOf(ctx context.Context, e *env.Env, device subject.Device, allocated audit.DeviceID) deviceOnNode {
	ginkgo.GinkgoHelper()
	parents := e.Subject.Partitions.Parents
	return deviceOnNode{parents.OfParent(device, devices.GetParent(ctx, e, parents, allocated)), d.node}
}
