package specs

import (
	"github.com/draconform/draconform/e2e/suite"
)

// ofPrioritizedList lists the specs of the profile prioritized-list.
var ofPrioritizedList = []suite.Spec{
	prioritizedListTakesFirst,
	prioritizedListFallsBack,
	prioritizedListCountsEachAlternative,
	prioritizedListConstraintByRequest,
	prioritizedListConstraintBySubrequest,
	prioritizedListEarlierRequestDecides,
	prioritizedListConfiguresWhatWasTaken,
	prioritizedListConfiguresByClassTaken,
	prioritizedListWaitsUntilOneFits,
	prioritizedListGoesWithOtherClaims,
	prioritizedListTakesAllDevices,
	prioritizedListKeepsToLimitOfResults,
	prioritizedListSelectsByAlternative,
	prioritizedListToleratesByAlternative,
	prioritizedListUsesUpParent,
	prioritizedListPrefersNodesWithFirst,
	prioritizedListGoesWithAllocatedClaims,
	prioritizedListNeedsQuotaForEach,
	prioritizedListContainersNameRequests,
	prioritizedListAlternativesAreNotNamed,
	prioritizedListIsRefusedWithoutFeature,
	prioritizedListIsValidated,
	prioritizedListInEveryVersion,
}
