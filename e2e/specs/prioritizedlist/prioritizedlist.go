package prioritizedlist

import (
	"github.com/draconform/draconform/e2e/suite"
)

// profile is the name of the profile.
const profile = "prioritized-list"

// Specs lists the specs of the profile prioritized-list.
var Specs = []suite.Spec{
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
