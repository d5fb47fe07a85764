// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package capacity has the specs of the profile capacity: devices that several
// claims share, and what the shares consume (KEP-5075).
package capacity

import (
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "capacity"

// sharedDeviceFeatures are the features that all specs of shared devices need.
var sharedDeviceFeatures = []features.Feature{features.Core, features.SharedDevices}

// fractionalFeatures are those of specs of ranges with fractions.
var fractionalFeatures = slices.Concat(sharedDeviceFeatures, []features.Feature{features.FractionalRanges})

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	sharedDeviceServesClaimsAndRequests,
	sharedDeviceServesNamespaces,
	sharedDeviceEvictsAllUsers,
	sharedDeviceClaimsOfOnePod,
	sharedDeviceFailedBindingFreesCapacity,
	sharedDeviceConsumesByPolicy,
	sharedDeviceRoundedAmountsAddUp,
	sharedDeviceConsumesFractionalSteps,
	sharedDeviceWithoutPolicy,
	sharedDeviceWithoutCapacity,
	sharedDeviceAllDevices,
	sharedDeviceAllWithCapacity,
	sharedDeviceAllWithCounters,
	sharedDeviceRequestsAddUp,
	sharedDeviceCountConsumesEach,
	sharedDevicesAreSearchedToTheEnd,
	sharedDeviceKeepsToPolicy,
	sharedDeviceLacksHugeAmounts,
	sharedDeviceIsUsedUpExactly,
	sharedDeviceAmountsAreExact,
	sharedDeviceLongAmountsAddUp,
	sharedDeviceEveryCapacityCounts,
	sharedDeviceEachOfSeveralCapacities,
	sharedDeviceCapacityOfOnePool,
	sharedDeviceDistinctAttribute,
	sharedDeviceDistinctValues,
	distinctAttributeComparesTypes,
	distinctValuesOfAlternatives,
	distinctValuesOfAllDevices,
	distinctValuesOfEachDevice,
	distinctValuesAndEqualValues,
	sharedDeviceMatchAttribute,
	sharedDeviceToldFromOthers,
	sharedDeviceInALargeSlice,
	sharedDeviceStaysExclusive,
	sharedDeviceShrinksUnderShares,
	sharesOutliveSchedulerRestart,
	otherDevicesHaveOneUser,
	sharedDeviceConsumesCountersOnce,
	sharesCompeteForCounters,
	sharedDeviceCountersOfOnePod,
	sharedDeviceAsAlternative,
	sharedDeviceUsedUpConstrainsNothing,
	sharedDeviceStatusOfEachShare,
	sharedDeviceIsValidated,
	sharedDeviceAllocationsAreValidated,
	sharedDeviceFractionalRangeIsValidated,
	sharedDeviceStepsAreValidated,
	sharedDeviceFieldsDropped,
	distinctAttributeDropped,
}
