package specs

import (
	"github.com/draconform/draconform/e2e/suite"
)

// ofAffinity lists the specs of the profile sharing-affinity.
var ofAffinity = []suite.Spec{
	affinityNotDeclaredShares,
	affinityEntryDecides,
	affinityLockDecides,
	affinityRequestsApart,
	affinityStatesByAlternative,
	affinityBacktrackingUnlocks,
	affinityClaimsOfOnePod,
	affinityOtherValuesGetAnotherDevice,
	affinityLockOfOnePool,
	affinityLockLastsUntilLastRelease,
	affinityUnknownUntilDrained,
	affinityUnknownUntilAllAreReleased,
	affinityCapacityFirst,
	affinityLockedDevicePreferred,
	affinityOneOfCompetingValuesWins,
	affinityFailedBindingUnlocks,
	affinityLocksSurviveSchedulerRestart,
	affinityIsIgnoredWithoutFeature,
	affinityDriverIsBackstop,
	affinityLockOutlivesFailedPrepare,
}
