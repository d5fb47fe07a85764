// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// classic must detect, and clusters without faults.
package wrongclusters

import (
	"fmt"

	"github.com/draconform/draconform/e2e/internal/classiccluster"
)

type (
	schedulerMistakes = classiccluster.SchedulerMistakes
	managerMistakes   = classiccluster.ManagerMistakes
	driverMistakes    = classiccluster.DriverMistakes
	kubeletMistakes   = classiccluster.KubeletMistakes
)

// All are clusters with faults by what is wrong.
var All = join(wrongControlPlanes, wrongSchedulers, wrongManagers, wrongServers, wrongDrivers, wrongEarlier)

// join returns the clusters of several tables.
func join(tables ...map[string]Cluster) map[string]Cluster {
	all := map[string]Cluster{}
	for _, table := range tables {
		for name, c := range table {
			if _, ok := all[name]; ok {
				panic(fmt.Sprintf("two wrong clusters have the name %q", name))
			}
			all[name] = c
		}
	}
	return all
}
