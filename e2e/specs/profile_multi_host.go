package specs

import (
	"github.com/draconform/draconform/e2e/suite"
)

// ofMultiHost lists the specs of the profile multi-host.
var ofMultiHost = []suite.Spec{
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
