// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package poolstatus has the specs of the profile pool-status: reports about the
// devices of pools, on request (KEP-5677).
package poolstatus

import (
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

const profile = "pool-status"

// The needs of specs that publish pools of simulated nodes.
var (
	statusFeatures = []features.Feature{features.Core, features.PoolStatus}
	typeFeatures   = slices.Concat(statusFeatures, []features.Feature{features.Partitions, features.PartitionTypes})
	simulatedNodes = []env.Need{env.NeedsSimulatedNodes}
)

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	poolStatusCountsDevices,
	poolStatusSelectsPools,
	poolStatusCountsSharedDevicesOnce,
	poolStatusCountsTaintedDevices,
	poolStatusCountsTaintRules,
	poolStatusLeavesOutAdminAccess,
	poolStatusCountsPartitions,
	poolStatusTakesTypesFromRequest,
	poolStatusOfNewestGeneration,
	poolStatusIsFinal,
	poolStatusIsValidated,
	partitionTypeIsValidated,
	partitionTypeIsDropped,
}
