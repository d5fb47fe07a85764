package specs

import (
	"slices"

	"github.com/draconform/draconform/e2e/suite"
)

// ofDriver returns the specs of the profile driver.
func ofDriver() []suite.Spec {
	return slices.Concat(
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
}
