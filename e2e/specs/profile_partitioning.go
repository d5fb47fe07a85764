package specs

import (
	"github.com/draconform/draconform/e2e/suite"
)

// ofPartitioning lists the specs of the profile partitioning.
var ofPartitioning = []suite.Spec{
	partitionMixFitsOneParent,
	partitionReleaseReturnsCounters,
	partitionExcludesWhole,
	partitionExcludesWhatOverlaps,
	partitionLayoutsFit,
	partitionParentsAreKeptApart,
	partitionConstraintsConsumeNothing,
	partitionEachCounterCounts,
	partitionCountersOfTheWholePool,
	partitionCountersAcrossNodes,
	partitionPoolsAreApart,
	partitionCountersWithinAPod,
	partitionCapacityIsNoCounter,
	partitionReleaseMakesRoomForOtherShapes,
	partitionPodsCompeteUntilFull,
	partitionAllOrNone,
	partitionCountFitsTogether,
	partitionAdminAccessHoldsNothing,
	poolInvalidIsPassedOver,
	poolIncompleteIsNotUsed,
	poolAllWaitsForEveryPool,
	poolNewestGenerationCounts,
	poolGenerationsAreNotMixed,
	poolChangesUnderAllocatedDevices,
	sliceFieldsAreKept,
	sliceMistakesAreRefused,
	sliceLimitsHold,
	partitionFieldsAreDropped,
}
