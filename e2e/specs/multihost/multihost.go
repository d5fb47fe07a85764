// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package multihost has the specs of the profile multi-host: devices that span
// several nodes, and the pods that share them (KEP-4815).
package multihost

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "multi-host"

// multiHostFeatures are the features that the specs of the profile need.
var multiHostFeatures = []features.Feature{features.Core, features.Partitions}

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	multiHostPodsSeeTheirParts,
	multiHostPairsSeeTheirParts,
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
	multiHostDeviceMoves,
	multiHostFollowsNodes,
	multiHostWithdrawnDevicesStayCharged,
	multiHostSixteenPodsShareClaim,
	multiHostSizesFillPool,
}
