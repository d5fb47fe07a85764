// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bindingconditions has the specs of the profile binding-conditions:
// devices that must be made ready, by a driver, before pods are bound to nodes
// (KEP-5007).
package bindingconditions

import (
	"embed"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "binding-conditions"

// data contains conditions of devices, and objects that an API server must
// accept, reject or change.
//
//go:embed data/*.yaml
var data embed.FS

// bindingFeatures are the features that specs of binding conditions need.
var bindingFeatures = []features.Feature{features.Core, features.BindingConditions}

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	bindingWaitsForAllConditions,
	bindingConditionsMustBeTrue,
	bindingWaitsForTheLastCondition,
	bindingWaitsForAllAtOnce,
	bindingWaitsForAllDevices,
	bindingWaitsForEachOfAllDevices,
	bindingTellsDevicesApart,
	bindingWaitsForAllClaims,
	bindingWaitsForSharedClaim,
	bindingFailureOfSharedClaim,
	bindingWaitsForShares,
	bindingWaitsForAlternatives,
	bindingWaitsForExtendedResources,
	bindingWithoutConditionsDoesNotWait,
	bindingWaitOutlivesSchedulerRestart,
	bindingFailureClearsAllocation,
	bindingFailureAllocatesAnotherDevice,
	bindingFailureOfExtendedResources,
	bindingOverdueClearsAllocation,
	bindingRecoveryLetsPodsIn,
	bindingOutcomesAreCounted,
	bindingConditionsAreRecorded,
	bindsToNodeSelectsTheNode,
	bindingFieldsAreDropped,
	bindingFieldsAreValidated,
	bindingAllocationsAreValidated,
}
