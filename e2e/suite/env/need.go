// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"
	"slices"
)

// Need is something that a spec needs in addition to the API.
type Need string

// The needs of specs.
const (
	// NeedsNodes is met by Target.Nodes.
	NeedsNodes Need = "nodes"
	// NeedsScheduler is met by Target.ControlPlane.
	NeedsScheduler Need = "scheduler"
	// NeedsDrivers is met by Target.Drivers.
	NeedsDrivers Need = "drivers"
	// NeedsVersions is met by Target.Versions.
	NeedsVersions Need = "versions"
	// NeedsDeviceClasses is met by Target.Drivers. In a cluster with
	// third-party drivers, a run creates nothing outside of its namespaces.
	NeedsDeviceClasses Need = "classes"
	// NeedsSimulatedNodes is met by Target.SimulatedNodes. Node objects without
	// a machine may disturb components that manage the nodes of a user's
	// cluster.
	NeedsSimulatedNodes Need = "simulated-nodes"
	// NeedsWholePools is met if Target.UnusablePool is empty. With an
	// incomplete or invalid pool of any driver, a scheduler cannot allocate a
	// request with allocationMode All.
	NeedsWholePools Need = "whole-pools"
)

// Lacks returns why a need is not met, or an empty string.
func (t Target) Lacks(need Need) string {
	switch {
	case need == NeedsNodes && t.Nodes == nil:
		return "needs to restart nodes, which is only possible in a cluster that the run created"
	case need == NeedsScheduler && t.ControlPlane == nil:
		return "needs to restart the scheduler of the pods, which is only possible in a cluster that the run created"
	case need == NeedsDrivers && t.Drivers == nil:
		return "needs to control the driver, which is only possible with the fake drivers"
	case need == NeedsVersions && t.Versions == nil:
		return "needs to change the version of the driver, which is only possible with the fake drivers"
	case need == NeedsDeviceClasses && t.Drivers == nil:
		return "needs to create device classes, which is only possible with the fake drivers"
	case need == NeedsSimulatedNodes && !t.SimulatedNodes:
		return "needs simulated nodes, which an existing cluster allows only with --simulate-nodes"
	case need == NeedsWholePools && t.UnusablePool != "":
		return "needs complete and valid pools on all nodes; " + t.UnusablePool
	case !slices.Contains([]Need{NeedsNodes, NeedsScheduler, NeedsDrivers, NeedsVersions, NeedsDeviceClasses, NeedsSimulatedNodes, NeedsWholePools}, need):
		return fmt.Sprintf("needs %q, which is not known", need)
	}
	return ""
}
