// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// dumpDriverLogs writes what the subject's drivers have logged since the spec
// began, on the nodes of its pods, if that is allowed. A spec whose pods are not
// on a node gets the logs of other nodes.
func dumpDriverLogs(ctx context.Context, e *env.Env, dir string, podList []corev1.Pod) error {
	if e.Drivers == nil {
		return nil
	}
	var errs []error
	nodes := nodeNames(podList)
	for _, driver := range e.Subject.Drivers() {
		if e.Drivers.Lacks(driver, operations.ReadLogs) != "" {
			continue
		}
		logs, err := e.Drivers.Logs(ctx, driver, nodes, e.Started)
		errs = append(errs, err)
		for _, log := range logs {
			errs = append(errs, os.WriteFile(filepath.Join(dir, driverLogName(log)), log.Content, 0o600))
		}
	}
	return errors.Join(errs...)
}

// dumpClassicLogs writes what the drivers of classic DRA have logged that the spec has
// started.
func dumpClassicLogs(e *env.Env, dir string) error {
	var errs []error
	for _, driver := range e.ClassicDrivers {
		log, err := e.ClassicControllers.Log(driver)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("driver.%s.log", driver)), log, 0o600)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// driverLogName returns the name of a file that no pod of a spec has.
func driverLogName(log operations.DriverLog) string {
	previous := ""
	if log.Previous {
		previous = "-previous"
	}
	return fmt.Sprintf("driver.%s%s.log", log.Pod, previous)
}

// nodeNames returns the nodes of pods, each once.
func nodeNames(podList []corev1.Pod) []string {
	var nodes []string
	for i := range podList {
		if node := podList[i].Spec.NodeName; node != "" {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
