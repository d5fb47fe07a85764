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
	NeedsSimulatedNodes Need = "stage"
	// NeedsWholePools is met if Target.WrongPool is empty. With an incomplete
	// or invalid pool of any driver, a scheduler cannot allocate a request with
	// allocationMode All.
	NeedsWholePools Need = "whole-pools"
)

// Lacks returns why a need is not met, or an empty string.
func (s Target) Lacks(need Need) string {
	switch {
	case need == NeedsNodes && s.Nodes == nil:
		return "needs to restart nodes, which only a cluster of the run's own allows"
	case need == NeedsScheduler && s.ControlPlane == nil:
		return "needs to restart the pods' scheduler, which only that of a cluster of the run's own allows"
	case need == NeedsDrivers && s.Drivers == nil:
		return "needs to steer the driver, which only the suite's own drivers allow"
	case need == NeedsVersions && s.Versions == nil:
		return "needs to change the driver's version, which only the suite's own drivers allow"
	case need == NeedsDeviceClasses && s.Drivers == nil:
		return "needs to create device classes, which only the suite's own drivers allow"
	case need == NeedsSimulatedNodes && !s.SimulatedNodes:
		return "needs nodes that are simulated, which a cluster that is not the run's own gets with --simulate-nodes only"
	case need == NeedsWholePools && s.WrongPool != "":
		return "needs all pools that nodes have in common to be complete and valid; " + s.WrongPool
	case !slices.Contains([]Need{NeedsNodes, NeedsScheduler, NeedsDrivers, NeedsVersions, NeedsDeviceClasses, NeedsSimulatedNodes, NeedsWholePools}, need):
		return fmt.Sprintf("needs %q, which is not known", need)
	}
	return ""
}
