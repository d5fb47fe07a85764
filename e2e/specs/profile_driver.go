package specs

import (
	"slices"

	"github.com/draconform/draconform/e2e/suite"
)

// ofDriver are the specs of the profile driver.
func ofDriver() []suite.Spec {
	return slices.Concat(
		preparedAndReleased,
		[]suite.Spec{
			initContainersSeeDevices,
			containersSeeTheirRequests,
			restartedContainerSeesDevices,
			reservedBeforeBound,
			notReservedIsNotRun,
			madeClaimsAreFreed,
			sharedClaimUnpreparedByLastPod,
			unprepareLeavesOtherClaims,
			releaseWaitsForUnprepare,
			failedPrepareIsRetried,
			failedUnprepareIsRetried,
			answersAreTheSameAgain,
			absentDriverIsWaitedFor,
			absentDriverKeepsDevicesHeld,
			absentDriverOffersNothing,
			forceDeletedPodIsUnprepared,
			churnLeavesNothingPrepared,
		},
		survivesDriverRestart, survivesKubeletRestart, survivesDriverUpdate, survivesNodeRestart,
	)
}
