// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package operations

import "context"

// ClassicDriver is a driver of classic DRA (KEP-3063): a control plane controller that
// allocates claims, and a plugin on each worker node. It has devices on each of these
// nodes, which only pods on the node can use.
type ClassicDriver interface {
	// Name is the name of the driver, as in spec.controller of claims.
	Name() string
	// DevicesPerNode is the number of devices of each node.
	DevicesPerNode() int
	// Seen returns the devices that a container sees, by its environment variables,
	// as pool/name.
	Seen(variables map[string]string) ([]string, error)
	// Scale changes the number of instances of the controller, and returns when
	// exactly so many run. The driver is installed with one.
	Scale(ctx context.Context, instances int) error
	// ChangeRelease replaces the driver by the one for another release of Kubernetes, and
	// returns when exactly one instance of its controller runs.
	ChangeRelease(ctx context.Context, minor string) error
	// Leader returns the identity of the process that works. It changes when
	// another process takes over. It returns an error if there is none.
	Leader(ctx context.Context) (string, error)
	// Kill ends the process that works without time to clean up. Another instance,
	// or the next process, takes over.
	Kill(ctx context.Context) error
	// Inject injects a fault into the next calls of the process that works.
	Inject(ctx context.Context, fault Fault) error
	// Release lets the waiting calls of that process continue, and discards its
	// other faults.
	Release(ctx context.Context) error
	// Calls returns the calls of that process.
	Calls(ctx context.Context) ([]Call, error)
}

// Allocate and Deallocate are the methods of controllers of classic DRA that allocate and
// deallocate claims. Like those of the kubelet's API, they can have faults.
const (
	Allocate   = "Allocate"
	Deallocate = "Deallocate"
)

// ClassicController describes a controller of a driver of classic DRA.
type ClassicController struct {
	// Driver is the name of the driver, as in classes.
	Driver string
	// Namespace is that of what the driver stores.
	Namespace string
	// DevicesPerNode is the number of devices of each node with the labels Nodes.
	// NetworkDevices is that of devices that all of these nodes can use. A driver has one
	// of both.
	DevicesPerNode, NetworkDevices int
	Nodes                          map[string]string
	// Limit is the number of devices of nodes that can be in use at the same time. Default:
	// all.
	Limit int
	// Elect makes controllers of the driver that run at the same time elect one that works.
	Elect bool
}

// ClassicControllers starts controllers of classic DRA, for the release of the cluster.
// They need no nodes that run containers.
type ClassicControllers interface {
	// Start starts a controller. It works some time after Start has returned.
	Start(ctx context.Context, controller ClassicController) (ClassicProcess, error)
	// Parameters returns parameters with which a driver allocates claims for some nodes
	// only: the data of a ConfigMap.
	Parameters(nodes ...string) map[string]string
	// Opaque returns them as an object in the configuration of a claim or of a class.
	Opaque(nodes ...string) map[string]any
	// Log returns what all controllers of a driver have logged so far.
	Log(driver string) ([]byte, error)
}

// ClassicProcess is a controller that runs.
type ClassicProcess interface {
	// Kill ends it without time to clean up. It returns an error if it has ended on
	// its own.
	Kill() error
}
