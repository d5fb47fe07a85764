package driver

import (
	"slices"

	"github.com/draconform/draconform/e2e/suite"
)

// profile is the name of the profile.
const profile = "driver"

// Specs lists the specs of the profile driver.
var Specs = slices.Concat(
	preparedAndReleased,
	[]suite.Spec{
		initContainersSeeDevices,
		containersSeeTheirRequests,
		restartedContainerSeesDevices,
		reservedBeforeBound,
		notReservedIsNotRun,
		reservedForOthersIsNotRun,
		madeClaimsAreFreed,
		sharedClaimUnpreparedByLastPod,
		waitingPodLeavesClaimPrepared,
		newClaimWaitsForItsNamesake,
		unprepareLeavesOtherClaims,
		releaseWaitsForUnprepare,
		failedPrepareIsRetried,
		failedUnprepareIsRetried,
		answersAreTheSameAgain,
		absentDriverIsWaitedFor,
		absentDriverKeepsDevicesHeld,
		absentDriverOffersNothing,
		forceDeletedPodIsUnprepared,
		madeClaimIsUnprepared,
		churnLeavesNothingPrepared,
	},
	survivesDriverRestart, survivesKubeletRestart, survivesDriverUpdate, survivesNodeRestart,
)
