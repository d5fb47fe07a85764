// Package journeys holds what draconform asserts of clusters that change: that
// upgrades, downgrades, feature gates and restarts leave workloads alone, and what
// new claims get in between. One journey in a file.
package journeys

import "github.com/draconform/draconform/e2e/suite"

// profile is that of all journeys.
const profile = "upgrade"

// All returns every journey, in the order they are gone on.
func All() []suite.Spec {
	return []suite.Spec{
		gateOfPartitionsOffAndOn,
		gateOfSharedDevicesOffAndOn,
		schedulerChangesHands,
		controlPlaneIsInterrupted,
		driverChangesVersions,
		listWaitsForItsScheduler,
		countersMoveToTheirOwnSlice,
		partitionsBeforeTheRolloutIsComplete,
		upgradeUnderWorkloads,
		skewIsHeld,
		skewOfThreeReleasesIsHeld,
	}
}

// With returns every journey with another scheduler to begin with, but for those
// that are about schedulers. An empty one changes nothing.
func With(scheduler string) []suite.Spec {
	all := All()
	for i := range all {
		if j := *all[i].Journey; scheduler != "" && !j.OfSchedulers {
			j.Start.Scheduler = scheduler
			all[i].Journey = &j
		}
	}
	return all
}
