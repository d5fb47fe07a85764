// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodeallocatable has the specs of the profile node-allocatable: devices
// that stand for resources of their node, such as cpu and memory, or need some of
// them (KEP-5517).
package nodeallocatable

import (
	"embed"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

const profile = "node-allocatable"

// data contains objects that an API server must accept, reject or change.
//
//go:embed data/*.yaml
var data embed.FS

// The needs of specs that publish devices with resources of simulated nodes.
var (
	resourceFeatures = []features.Feature{features.Core, features.NodeAllocatable, features.NodeAllocatableScheduling}
	simulatedNodes   = []env.Need{env.NeedsSimulatedNodes}
)

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	nodeResourcesOfDevicesAreUsed,
	nodeResourcesAddUp,
	nodeResourcesOfEachDevice,
	nodeResourcesLimitDevices,
	nodeResourcesByCapacity,
	nodeResourcesAsOverhead,
	nodeResourcesAsOverheadOfContainers,
	nodeResourcesOfOnePod,
	nodeResourcesRaiseLimits,
	nodeResourcesAreValidated,
	nodeResourcesNeedCapableNodes,
	nodeResourcesAreDropped,
}
