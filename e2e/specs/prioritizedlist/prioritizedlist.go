// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package prioritizedlist has the specs of the profile prioritized-list:
// requests with a list of subrequests, of which the first that fits is
// allocated (KEP-4816).
package prioritizedlist

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "prioritized-list"

// simulatedFeatures are the features that all specs of prioritized lists on
// simulated nodes need.
var simulatedFeatures = []features.Feature{features.Core, features.PrioritizedList}

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	prioritizedListTakesFirst,
	prioritizedListFallsBack,
	prioritizedListTakesLast,
	prioritizedListCountsEachAlternative,
	prioritizedListConstraintByRequest,
	prioritizedListConstraintBySubrequest,
	prioritizedListTellsListsApart,
	prioritizedListEarlierRequestDecides,
	prioritizedListConfiguresWhatWasTaken,
	prioritizedListConfiguresByClassTaken,
	prioritizedListWaitsUntilOneFits,
	prioritizedListReleasedLetsPodsIn,
	prioritizedListChangesLetPodsIn,
	prioritizedListGoesWithOtherClaims,
	prioritizedListTakesAllDevices,
	prioritizedListOfAllDevices,
	prioritizedListOfAllPartitions,
	prioritizedListKeepsToLimitOfResults,
	prioritizedListSkipsHugeCounts,
	prioritizedListLimitInALongSearch,
	prioritizedListSelectsByAlternative,
	prioritizedListToleratesByAlternative,
	prioritizedListToleratesForAllDevices,
	prioritizedListUsesUpParent,
	prioritizedListPrefersNodesWithFirst,
	prioritizedListPrefersNodesForEachClaim,
	prioritizedListGoesWithAllocatedClaims,
	prioritizedListNeedsQuotaForEach,
	prioritizedListQuotaCountsTheMost,
	prioritizedListContainersNameRequests,
	prioritizedListAlternativesAreNotNamed,
	prioritizedListIsRefusedWithoutFeature,
	prioritizedListIsValidated,
	prioritizedListInEveryVersion,
}
