package partitioning

import (
	"github.com/draconform/draconform/e2e/suite"
)

// profile is the name of the profile.
const profile = "partitioning"

// Specs lists the specs of the profile partitioning.
var Specs = []suite.Spec{
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
