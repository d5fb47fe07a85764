package sharingaffinity

import (
	"github.com/draconform/draconform/e2e/suite"
)

// profile is the name of the profile.
const profile = "sharing-affinity"

// Specs lists the specs of the profile sharing-affinity.
var Specs = []suite.Spec{
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
