// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suiterun

import (
	"context"
	"fmt"
	"time"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// drivers implements [operations.Drivers] for a fake cluster.
type drivers struct{ *fakecluster.Cluster }

// Control implements [operations.Drivers].
func (d drivers) Control(_ context.Context, _, node string) (operations.Driver, error) {
	if d.IsStopped(node) {
		return nil, fmt.Errorf("there is no pod on node %s", node)
	}
	return d.DriverOn(node), nil
}

// Lacks implements [operations.Drivers].
func (d drivers) Lacks(string, operations.DriverOperation) string { return "" }

// Restart implements [operations.Drivers].
func (d drivers) Restart(ctx context.Context, driver, node string) error {
	pod, err := d.Control(ctx, driver, node)
	if err != nil {
		return err
	}
	return pod.Exit(ctx)
}

// ClaimsInUse implements [operations.Drivers].
func (d drivers) ClaimsInUse(ctx context.Context, driver, node string) (operations.ClaimsCount, error) {
	pod, err := d.Control(ctx, driver, node)
	if err != nil {
		return operations.ClaimsCount{}, err
	}
	status, err := pod.Status(ctx, driver)
	return operations.ClaimsCount{Claims: len(status.Claims)}, err
}

// Stop implements [operations.Drivers].
func (d drivers) Stop(_ context.Context, _, node string) error { return d.StopDriver(node) }

// Start implements [operations.Drivers].
func (d drivers) Start(_ context.Context, _, node string) error { return d.StartDriver(node) }

// Logs implements [operations.Drivers].
func (d drivers) Logs(context.Context, string, []string, time.Time) ([]operations.DriverLog, error) {
	return nil, nil
}
