// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package journeys contains the journeys: scenarios of upgrades, downgrades,
// feature gate changes and restarts that check running workloads and the
// allocation of new claims. Each journey has its own file.
package journeys

import (
	"github.com/draconform/draconform/e2e/suite"
)

// profile is the profile of all journeys.
const profile = "upgrade"

// All returns every journey in the order of execution.
func All() []suite.Spec {
	return []suite.Spec{
		gateOfPartitionsOffAndOn,
		gateOfSharedDevicesOffAndOn,
		gatesOfAttributesOffAndOn,
		schedulerChangesHands,
		controlPlaneIsInterrupted,
		driverChangesVersions,
		driverGoesOnWithoutPartitions,
		listWaitsForItsScheduler,
		gateOfAdminAccessOffAndOn,
		countersMoveToTheirOwnSlice,
		partitionsBeforeTheRolloutIsComplete,
		upgradeUnderWorkloads,
		skewIsHeld,
		skewOfThreeReleasesIsHeld,
		classicGateOffAndOn,
		classicUpgradeTo131,
		classicUpgradeTo132,
		classicUpgradeWithWorkloads,
		classicMovesToStructured,
	}
}

// With returns every journey with the given initial scheduler, except journeys
// about schedulers, which keep theirs. An empty name changes nothing.
func With(scheduler string) []suite.Spec {
	all := All()
	for i := range all {
		if j := *all[i].Journey; scheduler != "" && !j.OfSchedulers {
			j.InitialCluster.Scheduler = scheduler
			all[i].Journey = &j
		}
	}
	return all
}
