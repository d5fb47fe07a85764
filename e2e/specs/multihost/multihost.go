package multihost

import (
	"github.com/draconform/draconform/e2e/suite"
)

// profile is the name of the profile.
const profile = "multi-host"

// Specs lists the specs of the profile multi-host.
var Specs = []suite.Spec{
	multiHostPodsSeeTheirParts,
	multiHostAllocationSelectsNodes,
	multiHostPodsStayOnNodesOfDevice,
	multiHostSizesExcludeEachOther,
	multiHostPublishedGroupsOnly,
	multiHostClaimsHaveHostsOfTheirOwn,
	multiHostReleasedWithLastPod,
	multiHostClaimsWithNodesInCommon,
	multiHostClaimIsWhereAllDevicesAre,
	multiHostAllDevicesOfTheNode,
	multiHostOwnClaimsKeepPodsApart,
	multiHostHostLeaves,
	multiHostSixteenPodsShareClaim,
	multiHostSizesFillPool,
}
