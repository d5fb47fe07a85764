// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sharingaffinity has the specs of the profile sharing-affinity:
// devices that are shared only by claims with the same values (KEP-5981).
package sharingaffinity

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "sharing-affinity"

// affinityFeatures are the features that all specs of sharing affinity need.
var affinityFeatures = []features.Feature{features.Core, features.SharedDevices, features.SharingAffinity}

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	affinityNotDeclaredShares,
	affinityEntryDecides,
	affinityLockDecides,
	affinityRequestsApart,
	affinityStatesByAlternative,
	affinityBacktrackingUnlocks,
	affinityClaimsOfOnePod,
	affinityOtherValuesGetAnotherDevice,
	affinityOfAllDevices,
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
