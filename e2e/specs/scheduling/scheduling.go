// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scheduling has the specs of the profile scheduling: where devices are,
// what selectors see of them, and when pods that wait for devices are scheduled
// (KEP-4381). They need no optional feature of Kubernetes.
package scheduling

import (
	"embed"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "scheduling"

// data contains node selectors, and devices with requests for them.
//
//go:embed data/*.yaml
var data embed.FS

// schedulingFeatures are the features that the specs need.
var schedulingFeatures = []features.Feature{features.Core}

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	sliceSelectsNodesByLabel,
	sliceSelectsNodesByName,
	sliceIsForAllNodes,
	sliceSelectionIsInAllocation,
	allocationSelectsNodesOfAllSlices,
	allocationSelectsNodesByEachTerm,
	sliceChangedSelectsNodesAnew,
	slicesOfAPoolSelectNodes,
	slicesAreUpdatedInPlace,
	relabelledNodeGetsDevices,
	relabelledNodeLosesDevices,
	attributeDomainsAreToldApart,
	attributesCompareByType,
	capacitiesCompareByQuantity,
	matchAttributeComparesTypes,
	constraintsMustAllHold,
	constraintCoversEachDevice,
	constraintCoversAllDevices,
	constraintIsOfItsClaim,
	constraintNamesItsRequests,
	constraintsForgetRejectedDevices,
	selectorsMustAllMatch,
	unknownAttributeIsAnError,
	guardedAttributeIsNoError,
	claimsOfAPodShareANode,
	claimsOfAPodLeaveDevices,
	claimsOfAPodAreToldApart,
	newClaimsGoWithAllocatedOnes,
	claimWithoutRequestsIsAllocated,
	devicesAreToldApart,
	largeSliceIsUsedUp,
	poolsOfANodeAreMany,
	largestClaimIsAllocated,
	competingPodsGetDifferentDevices,
	allDevicesUpToTheLimit,
	allDevicesAreNotSharedWithinAPod,
	devicesAreSearchedToTheEnd,
	claimsOfSeveralDrivers,
	driversMatchPCIeRoot,
	claimHas256Consumers,
	unusedAllocationFollowsPod,
	unusedAllocationsFollowPod,
	unusedAllocationLeavesCordonedNode,
	unusedAllocationLeavesFullNode,
	usedAllocationStays,
	usedAllocationStaysForOthers,
	unusedAllocationGoesWithUsedOne,
	ownReservationDoesNotKeepAllocation,
	earlierReservationIsCompleted,
	reservationEndsWithItsPod,
	reservationOfOthersStays,
	reservationOfPodsEnds,
	completedPodsFreeDevices,
	endingPodKeepsDevices,
	jobRetriesGetDevices,
	boundPodReservesClaim,
	gatedPodHoldsNothing,
	failedBindingReleasesClaims,
	rejectedBindingReleasesClaims,
	rejectedBindingReservesAnew,
	failedBindingKeepsOtherUsers,
	reservationsAtOnceAreKept,
	reservationIsForOnePod,
	generatedClaimHasNoSubstitute,
	podMayNeedNoGeneratedClaim,
	deletedClaimStaysWhileUsed,
	deletedClaimEndsWithItsPod,
	deletedUnusedClaimEnds,
	allocationKeepsTheRest,
	preemptionMakesRoomForClaims,
	preemptionIsNotInVain,
	metricsCountClaims,
	metricsCountGeneratedClaims,
	classCreatedLetsPodsIn,
	classDeletedKeepsPodsWaiting,
	classReplacedSelectsAnew,
	classChangedLetsPodsIn,
	classChangedConfiguresAnew,
	classConfiguresItsRequests,
	configurationOfSeveralRequests,
	deviceChangedIsSelectedAnew,
	sliceDeletedTakesDevicesAway,
	claimCreatedLetsPodsIn,
	claimReplacedLetsPodsIn,
	claimDeallocatedLetsPodsIn,
	claimRemovedLetsPodsIn,
	consumerGoneLetsPodsIn,
	sliceAddedLetsPodsIn,
	nodeAddedLetsPodsIn,
	nodeUncordonedLetsPodsIn,
}
