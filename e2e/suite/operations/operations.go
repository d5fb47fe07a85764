// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operations has interfaces for operations on a cluster that the API
// does not offer: restarting nodes, controlling drivers, changing components.
package operations

import (
	"context"
	"errors"
	"time"
)

// Nodes performs operations on nodes that the API does not offer.
type Nodes interface {
	// RestartKubelet kills a node's kubelet and returns when the next one
	// answers.
	RestartKubelet(ctx context.Context, node string) error
	// WithoutKubelet kills a node's kubelet, calls meanwhile while none runs there, and
	// starts the next one, also if meanwhile panics. It returns when that one answers.
	WithoutKubelet(ctx context.Context, node string, meanwhile func()) error
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

// Metrics reads the metrics of components of the control plane.
type Metrics interface {
	// ReadMetrics returns the metrics that a component serves, in the text format of
	// Prometheus. The component is "scheduler", which is that of the specs' pods, or
	// "controller-manager".
	ReadMetrics(ctx context.Context, component string) ([]byte, error)
}

// ErrNotKnown is wrapped by errors about a number that a component does not tell.
var ErrNotKnown = errors.New("it is not known")

// DriverOperation is an operation on a driver that not every driver permits.
type DriverOperation string

// The operations on drivers.
const (
	// Restart ends the driver's process on a node.
	Restart DriverOperation = "restart"
	// Update replaces the driver's pods as an update does.
	Update DriverOperation = "update"
	// Stop removes the driver from a node for a while.
	Stop DriverOperation = "stop"
	// Calls returns the calls that the driver received.
	Calls DriverOperation = "calls"
	// InjectFaults makes calls fail.
	InjectFaults DriverOperation = "faults"
	// Publish changes the published devices.
	Publish DriverOperation = "publish"
	// SetHealth changes the health of devices that the driver reports.
	SetHealth DriverOperation = "health"
	// Disks makes writes to the driver's disks fail, and damages its checkpoint.
	Disks DriverOperation = "disks"
	// ClaimsInUse tells how many claims the kubelet has prepared.
	ClaimsInUse DriverOperation = "claims-in-use"
	// ReadLogs reads the logs of the driver's pods.
	ReadLogs DriverOperation = "logs"
)

// Drivers performs operations on drivers that the API does not offer.
type Drivers interface {
	// Lacks returns why an operation is not possible with a driver, and what
	// would change that. It returns an empty string if the operation is possible.
	Lacks(driver string, operation DriverOperation) string
	// Control returns the control endpoint of the driver's pod on a node. It has
	// the calls, the faults and what is published.
	Control(ctx context.Context, driver, node string) (Driver, error)
	// Restart ends a driver's process on a node without time to clean up. A
	// driver without a control endpoint is ready again when it returns.
	Restart(ctx context.Context, driver, node string) error
	// Update replaces a driver's pods as an update would, and returns when the
	// new pods are ready.
	Update(ctx context.Context, driver string) error
	// Stop removes a driver from a node and returns when its process has ended.
	// The claims that it has prepared stay prepared.
	Stop(ctx context.Context, driver, node string) error
	// Start starts a driver again on a node from which Stop removed it. It does
	// not wait until the driver is ready.
	Start(ctx context.Context, driver, node string) error
	// ClaimsInUse returns the number of claims that a driver has prepared on a
	// node, as the driver or the kubelet reports it. The error is [ErrNotKnown] if the
	// kubelet does not.
	ClaimsInUse(ctx context.Context, driver, node string) (ClaimsCount, error)
	// Logs returns the ends of the logs of a driver's pods on some nodes, or of
	// all its pods if there are no nodes, but of a few pods at most. Lines from
	// before since are omitted, unless it is zero. With an error, it returns the
	// logs that could be read.
	Logs(ctx context.Context, driver string, nodes []string, since time.Time) ([]DriverLog, error)
}

// ClaimsCount is a number of prepared claims.
type ClaimsCount struct {
	Claims int
	// Since is the time since when all prepared claims count. Of those that were prepared
	// before, any may be missing: a kubelet does not count claims that it has prepared before
	// it was restarted (pkg/kubelet/cm/dra, claimInfoCache.claimsInUse). It is zero if all count.
	Since time.Time
}

// DriverLog is the end of the log of a pod of a driver.
type DriverLog struct {
	Pod, Node string
	// Previous is set if the log is that of the container before its last
	// restart.
	Previous bool
	Content  []byte
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
	SetHealth(ctx context.Context, driver string, health Health) error
	SetDisk(ctx context.Context, driver string, disk Disk) error
	Damage(ctx context.Context, driver string, damage Damage) error
}
