// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package adminaccess has the specs of the profile admin-access: claims for
// access to devices that are in use, which hold nothing (KEP-5018).
package adminaccess

import (
	"embed"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

const profile = "admin-access"

// data contains objects that an API server without the feature must change.
//
//go:embed data/*.yaml
var data embed.FS

var (
	adminFeatures = []features.Feature{features.Core, features.AdminAccess}
	// adminNeeds are the needs of specs that label their namespace. A run that may
	// simulate nodes has the right to do so.
	adminNeeds = []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace}
	// allDevicesNeeds are those of specs that request all devices in addition.
	allDevicesNeeds = []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace, env.NeedsWholePools}
)

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	adminAccessNeedsLabel,
	adminAccessInTemplatesNeedsLabel,
	adminAccessInStatusNeedsLabel,
	adminAccessOutlivesLabel,
	adminAccessGetsDevicesInUse,
	adminAccessToAllDevices,
	adminAccessLeavesAllDevices,
	adminAccessCompetesWithNone,
	adminAccessConsumesNoCapacity,
	adminAccessIsOfOneRequest,
	adminAccessGetsDifferentDevices,
	adminAccessWithinAPod,
	adminAccessKeepsToSelectors,
	adminAccessKeepsToTaints,
	adminAccessIsEvicted,
	adminAccessKeepsToConstraints,
	adminAccessFromTemplate,
	adminAccessCountsForQuota,
	adminAccessHoldsNothingAfterRestart,
	adminAccessFieldsAreDropped,
}
