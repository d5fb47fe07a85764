// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"
	"slices"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// Need is something that a spec needs in addition to the API.
type Need string

// The needs of specs.
const (
	// NeedsNodes is met by Target.Nodes.
	NeedsNodes Need = "nodes"
	// NeedsScheduler is met by Target.ControlPlane.
	NeedsScheduler Need = "scheduler"
	// NeedsOwnCluster is met by Target.ControlPlane, too. It is of specs that affect what
	// a cluster has for others, such as all of its devices.
	NeedsOwnCluster Need = "own-cluster"
	// NeedsMetrics is met by Target.Metrics.
	NeedsMetrics Need = "metrics"
	// NeedsDriverRestart and the other needs of drivers are met by the operation
	// of Target.Drivers, for each driver whose devices the spec uses.
	NeedsDriverRestart Need = "driver-restart"
	NeedsDriverUpdate  Need = "driver-update"
	NeedsDriverStop    Need = "driver-stop"
	NeedsDriverCalls   Need = "driver-calls"
	NeedsDriverFaults  Need = "driver-faults"
	NeedsDriverPublish Need = "driver-publish"
	NeedsDriverHealth  Need = "driver-health"
	NeedsDriverDisks   Need = "driver-disks"
	NeedsClaimsInUse   Need = "claims-in-use"
	// NeedsVersions is met by Target.Versions.
	NeedsVersions Need = "versions"
	// NeedsClassicDriver is met by Target.Classic.
	NeedsClassicDriver Need = "classic-driver"
	// NeedsClassicControllers is met by Target.ClassicControllers, and
	// NeedsClassicAllocator by any of the two.
	NeedsClassicControllers Need = "classic-controllers"
	NeedsClassicAllocator   Need = "classic-allocator"
	// NeedsDeviceClasses is met by Target.DeviceClasses. In a cluster with
	// third-party drivers, a run creates nothing outside of its namespaces.
	NeedsDeviceClasses Need = "classes"
	// NeedsNodeAgent is met by Target.Agent.
	NeedsNodeAgent Need = "node-agent"
	// NeedsSimulatedNodes is met by Target.SimulatedNodes. Node objects without
	// a machine may disturb components that manage the nodes of a user's
	// cluster.
	NeedsSimulatedNodes Need = "simulated-nodes"
	// NeedsWholePools is met if Target.UnusablePool is empty. With an
	// incomplete or invalid pool of any driver, a scheduler cannot allocate a
	// request with allocationMode All.
	NeedsWholePools Need = "whole-pools"
)

// driverOperations maps the needs of drivers to operations.
var driverOperations = map[Need]operations.DriverOperation{
	NeedsDriverRestart: operations.Restart,
	NeedsDriverUpdate:  operations.Update,
	NeedsDriverStop:    operations.Stop,
	NeedsDriverCalls:   operations.Calls,
	NeedsDriverFaults:  operations.InjectFaults,
	NeedsDriverPublish: operations.Publish,
	NeedsDriverHealth:  operations.SetHealth,
	NeedsDriverDisks:   operations.Disks,
	NeedsClaimsInUse:   operations.ClaimsInUse,
}

// OfDriver reports whether a need concerns a driver. Specs of different drivers
// with such needs do not disturb each other.
func (n Need) OfDriver() bool { return driverOperations[n] != "" }

// Lacks returns why a need is not met, or an empty string. drivers are those
// whose devices the spec uses.
func (t Target) Lacks(need Need, drivers []string) string {
	if operation, ok := driverOperations[need]; ok {
		return t.lacksOperation(operation, drivers)
	}
	switch {
	case need == NeedsNodes && t.Nodes == nil:
		return "needs to restart nodes, which is only possible in a cluster that the run created"
	case need == NeedsScheduler && t.ControlPlane == nil:
		return "needs to restart the scheduler of the pods, which is only possible in a cluster that the run created"
	case need == NeedsOwnCluster && t.ControlPlane == nil:
		return "affects the whole cluster, which is only possible in one that the run created"
	case need == NeedsMetrics && t.Metrics == nil:
		return "needs to read the metrics of the control plane, which is only possible with --provider control-plane"
	case need == NeedsVersions && t.Versions == nil:
		return "needs to change the version of the driver, which is only possible with the fake drivers"
	case need == NeedsClassicDriver && t.Classic == nil:
		return "needs the fake driver of classic DRA, which is only in kind clusters that a run from a checkout creates"
	case need == NeedsClassicControllers && t.ClassicControllers == nil:
		return "needs the fake driver of classic DRA, which a run from a checkout starts with --provider control-plane"
	case need == NeedsClassicAllocator && t.Classic == nil && t.ClassicControllers == nil:
		return "needs the fake driver of classic DRA, which only a run from a checkout has that creates the cluster"
	case need == NeedsDeviceClasses && !t.DeviceClasses:
		return "needs to create device classes, which is only possible with the fake drivers"
	case need == NeedsNodeAgent && t.Agent == nil:
		return "needs the node agent, add --node-agent"
	case need == NeedsSimulatedNodes && !t.SimulatedNodes:
		return "needs simulated nodes, which an existing cluster allows only with --simulate-nodes"
	case need == NeedsOwnNamespace && t.GivenNamespace:
		return "needs a namespace of the run, leave out --namespace"
	case need == NeedsWholePools && t.UnusablePool != "":
		return "needs complete and valid pools on all nodes; " + t.UnusablePool
	case !slices.Contains([]Need{NeedsNodes, NeedsScheduler, NeedsOwnCluster, NeedsMetrics, NeedsVersions, NeedsClassicDriver, NeedsClassicControllers, NeedsClassicAllocator, NeedsDeviceClasses, NeedsNodeAgent, NeedsSimulatedNodes, NeedsWholePools, NeedsOwnNamespace}, need):
		return fmt.Sprintf("needs %q, which is not known", need)
	}
	return ""
}

func (t Target) lacksOperation(operation operations.DriverOperation, drivers []string) string {
	if t.Drivers == nil {
		return "needs to control the driver, which is only possible with the fake drivers"
	}
	for _, driver := range drivers {
		if why := t.Drivers.Lacks(driver, operation); why != "" {
			return why
		}
	}
	return ""
}
