// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/fakedriver/install"
)

// Lacks implements [operations.Drivers].
func (f *fakes) Lacks(string, operations.DriverOperation) string { return "" }

// Control implements [operations.Drivers].
func (f *fakes) Control(ctx context.Context, driver, node string) (operations.Driver, error) {
	options, err := f.options(driver)
	if err != nil {
		return nil, err
	}
	return install.Control(ctx, f.client, options, node)
}

// exitTimeout limits a request that ends a driver's process. Its response may be
// lost.
const exitTimeout = 30 * time.Second

// Restart implements [operations.Drivers].
func (f *fakes) Restart(ctx context.Context, driver, node string) error {
	ctx, cancel := context.WithTimeout(ctx, exitTimeout)
	defer cancel()
	pod, err := f.Control(ctx, driver, node)
	if err != nil {
		return err
	}
	return pod.Exit(ctx)
}

// ClaimsInUse implements [operations.Drivers].
func (f *fakes) ClaimsInUse(ctx context.Context, driver, node string) (operations.ClaimsCount, error) {
	pod, err := f.Control(ctx, driver, node)
	if err != nil {
		return operations.ClaimsCount{}, err
	}
	status, err := pod.Status(ctx, driver)
	if err != nil {
		return operations.ClaimsCount{}, err
	}
	return operations.ClaimsCount{Claims: len(status.Claims)}, nil
}

// Update implements [operations.Drivers]. It changes an annotation of the pod
// template, as "kubectl rollout restart" does.
func (f *fakes) Update(ctx context.Context, driver string) error {
	options, err := f.options(driver)
	if err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"draconform.dev/updated":%q}}}}}`, time.Now().Format(time.RFC3339Nano))
	_, err = f.client.AppsV1().DaemonSets(options.Namespace).Patch(ctx, driver, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("update driver %s: %w", driver, err)
	}
	return install.Install(ctx, f.client, options)
}

// Stop implements [operations.Drivers].
func (f *fakes) Stop(ctx context.Context, driver, node string) error {
	options, err := f.options(driver)
	if err != nil {
		return err
	}
	return install.Stop(ctx, f.client, options, node)
}

// Start implements [operations.Drivers].
func (f *fakes) Start(ctx context.Context, driver, node string) error {
	options, err := f.options(driver)
	if err != nil {
		return err
	}
	return install.Start(ctx, f.client, options, node)
}

// Logs implements [operations.Drivers]. The logs of the nodes of a kind cluster
// have those of the fake drivers.
func (f *fakes) Logs(context.Context, string, []string, time.Time) ([]operations.DriverLog, error) {
	return nil, nil
}
