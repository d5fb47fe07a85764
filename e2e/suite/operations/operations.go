// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operations has interfaces for operations on a cluster that the API
// does not offer: restarting nodes, controlling drivers, changing components.
package operations

import (
	"context"
)

// Nodes performs operations on nodes that the API does not offer.
type Nodes interface {
	// RestartKubelet kills a node's kubelet and returns when the next one
	// answers.
	RestartKubelet(ctx context.Context, node string) error
	// RestartNode stops a node without a graceful shutdown and returns when its
	// kubelet answers again.
	RestartNode(ctx context.Context, node string) error
}

// ControlPlane performs operations on the control plane that the API does not
// offer.
type ControlPlane interface {
	// RestartScheduler ends the cluster's scheduler and returns when the next
	// process is the leader.
	RestartScheduler(ctx context.Context) error
}

// Drivers performs operations on drivers that the API does not offer.
type Drivers interface {
	// Control returns the control endpoint of the driver's pod on a node.
	Control(ctx context.Context, driver, node string) (Driver, error)
	// Update replaces a driver's pods as an update would, and returns when the
	// new pods are ready.
	Update(ctx context.Context, driver string) error
	// Stop removes a driver from a node and returns when its process has ended.
	// The claims that it has prepared stay prepared.
	Stop(ctx context.Context, driver, node string) error
	// Start starts a driver again on a node from which Stop removed it. It does
	// not wait until the driver is ready.
	Start(ctx context.Context, driver, node string) error
}

// Driver is the control endpoint of a driver's pod. The control client
// of the fake drivers documents the methods.
type Driver interface {
	Status(ctx context.Context, driver string) (Status, error)
	Exit(ctx context.Context) error
	Inject(ctx context.Context, driver string, fault Fault) error
	Release(ctx context.Context, driver string) error
	Calls(ctx context.Context, driver string, after int) ([]Call, error)
	Publish(ctx context.Context, driver string, published Published) (Status, error)
}
