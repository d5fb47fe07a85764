// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package journeys contains the journeys: scenarios of upgrades, downgrades,
// feature gate changes and restarts that check running workloads and the
// allocation of new claims. Each journey has its own file.
package journeys

import (
	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
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
	}
}

// With returns every journey with the given initial scheduler, except journeys
// about schedulers, which keep theirs. A scheduler that does not know the APIs of
// the gates of a journey runs with the default gates, and the journey leaves out
// what needs these APIs. An empty name changes nothing.
func With(scheduler string) []suite.Spec {
	all := All()
	for i := range all {
		if j := *all[i].Journey; scheduler != "" && !j.OfSchedulers {
			j.InitialCluster.Scheduler = scheduler
			if j.InitialCluster.Gates == taintRuleGate && !knowsTaintRules(j.InitialCluster) {
				j.InitialCluster.Gates = "default"
			}
			all[i].Journey = &j
		}
	}
	return all
}

// knowsTaintRules reports whether the scheduler of a cluster with taintRuleGate knows the
// API of DeviceTaintRules.
func knowsTaintRules(c journey.InitialCluster) bool {
	release, err := clusters.FindRelease(c.Release)
	if err != nil {
		panic(err) // The releases of journeys are supported.
	}
	set, err := gates.Parse(c.Gates, release)
	return err == nil && skew.CheckScheduler(c.Scheduler, release, set) == nil
}
