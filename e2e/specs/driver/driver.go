// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package driver has the specs of the profile driver: how drivers and the
// kubelet prepare and unprepare devices, and what happens when they restart.
package driver

import (
	"slices"

	"github.com/draconform/draconform/e2e/suite"
)

const profile = "driver"

// Specs are the specs of the profile, in the order of execution.
var Specs = slices.Concat(
	isPreparedAndReleased,
	[]suite.Spec{
		initContainersSeeDevices,
		containersSeeTheirRequests,
		claimConfigurationReachesContainer,
		classConfigurationReachesContainer,
		configurationIsForItsRequests,
		configurationIsForItsSubrequests,
		configurationOfOtherDriversIsIgnored,
		configurationAmongThoseOfOthers,
		restartedContainerSeesDevices,
		claimsOfAPodShareACall,
		eachDriverIsCalledForItsClaims,
		claimOfTwoDriversIsPrepared,
		callsSurroundContainers,
		reservedBeforeBound,
		notReservedIsNotRun,
		reservedForOthersIsNotRun,
		madeClaimsAreFreed,
		sharedClaimUnpreparedByLastPod,
		waitingPodLeavesClaimPrepared,
		newClaimWaitsForItsNamesake,
		unprepareLeavesOtherClaims,
		unprepareLeavesOtherShares,
		releaseWaitsForUnprepare,
		failedPrepareIsRetried,
		failedClaimOfSeveralIsNoticed,
		failedPrepareIsUnprepared,
		untouchedPodIsPreparedAgain,
		failedUnprepareIsRetried,
		answersAreTheSameAgain,
		fullDiskFailsPrepare,
		fullDiskFailsUnprepare,
		lackingCDIFileFailsPrepare,
		failedPrepareHoldsNothing,
		absentDriverIsWaitedFor,
		untouchedPodWaitsForDriver,
		absentDriverKeepsDevicesHeld,
		absentDriverOffersNothing,
		forceDeletedPodIsUnprepared,
		madeClaimIsUnprepared,
		churnLeavesNothingPrepared,
		podWithoutClaimSeesNoDevices,
		podsDoNotSeeEachOthersDevices,
		podsOfANodeShareAClaim,
		requestForTwoDevicesIsPrepared,
		claimOfManyDevicesIsPrepared,
		sharesOfAClaimArePrepared,
		endedPodIsUnprepared,
		slicesAreValid,
		poolsAreComplete,
		slicesDoNotDependOnUse,
		sharedSlicesDoNotDependOnUse,
		deviceNamesOutliveRestart,
		poolsStayRightDuringRestart,
		deletedDuringRestartIsUnprepared,
		createdDuringRestartRuns,
		containerRestartsAfterDriverRestart,
		configurationOutlivesDriverRestart,
		shareIsPreparedAfterDriverRestart,
		checkpointOfSharesIsSurvived,
		claimOutlivesKubeletRestart,
		metadataNamesAllocatedDevices,
		metadataIsVersioned,
		metadataAgreesWithSlices,
		metadataNamesChosenAlternative,
		metadataOfGeneratedClaims,
		metadataIsOnlyOfOwnRequests,
		metadataOfTwoDrivers,
		metadataEndsWithClaim,
		healthIsReported,
		unhealthyDeviceIsReported,
		unknownHealthIsReported,
		healthMessageIsReported,
		healthIsOfOwnRequest,
		healthOutlivesKubeletRestart,
		healthFollowsDriverRestart,
		deviceStatusIsOfAllocatedDevices,
		deviceStatusEndsWithAllocation,
	},
	checkpointIsSurvived, survivesDriverRestart, survivesKubeletRestart, survivesDriverUpdate, survivesNodeRestart,
)
