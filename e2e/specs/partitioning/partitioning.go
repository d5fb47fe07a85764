// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package partitioning has the specs of the profile partitioning: devices that
// consume counters (KEP-4815), their compatibility groups (KEP-5963), and the
// pools that they are in.
package partitioning

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

const profile = "partitioning"

// The needs of specs that create partitions on simulated nodes.
var (
	partitionFeatures = []features.Feature{features.Core, features.Partitions}
	simulatedNodes    = []env.Need{env.NeedsSimulatedNodes}
)

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	partitionMixFitsOneParent,
	partitionUnlistedIsNotAllocated,
	partitionReleaseReturnsCounters,
	partitionExcludesWhole,
	partitionExcludesWhatOverlaps,
	partitionLayoutsFit,
	partitionParentsAreKeptApart,
	partitionConstraintsConsumeNothing,
	partitionRejectedDevicesConsumeNothing,
	partitionEachCounterCounts,
	partitionCountersAreExact,
	partitionCountersCompareByQuantity,
	partitionLargeCountersAreExact,
	partitionLargestCounterSliceCounts,
	partitionCountersOfTheWholePool,
	partitionCountersAcrossNodes,
	partitionPoolsAreApart,
	partitionPoolsOfDriversAreApart,
	partitionCountersWithinAPod,
	partitionCapacityIsNoCounter,
	partitionReleaseMakesRoomForOtherShapes,
	partitionPodsCompeteUntilFull,
	partitionAllOrNone,
	partitionCountFitsTogether,
	partitionCountersAreSearchedToTheEnd,
	partitionCountersOutliveSchedulerRestart,
	partitionAdminAccessHoldsNothing,
	partitionWaitingPodsAreCounted,
	poolInvalidIsPassedOver,
	poolInvalidIsReported,
	poolIncompleteIsNotUsed,
	poolAllWaitsForEveryPool,
	poolNewestGenerationCounts,
	poolNewestGenerationCountsOnAllNodes,
	poolGenerationsAreNumbers,
	poolGenerationsAreNotMixed,
	poolGenerationIsReset,
	poolChangesUnderAllocatedDevices,
	sliceFieldsAreKept,
	sliceMistakesAreRefused,
	sliceLimitsHold,
	partitionFieldsAreDropped,
	groupsJoinAllocatedDevices,
	groupsJoinSharedDevices,
	groupsJoinWithinAClaim,
	groupsJoinAcrossClaims,
	groupsOfEachCounterSet,
	groupsEndWithRelease,
	groupsAreValidated,
	groupsAreDropped,
}
