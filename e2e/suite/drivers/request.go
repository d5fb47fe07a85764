// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// requestTimeout is the timeout of one request to a driver's pod. The address
// of the pod may be outdated, and then the request gets no answer. On a busy machine, one that gets
// an answer takes several seconds.
const requestTimeout = 15 * time.Second

// send sends one request to a driver's pod on a node.
func send(ctx context.Context, e *env.Env, timeout time.Duration, driver, node string, request func(context.Context, operations.Driver) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	pod, err := e.Drivers.Control(ctx, driver, node)
	if err != nil {
		return err
	}
	return request(ctx, pod)
}

// retry repeats a request until it succeeds. A request through the API server
// and the network of a node may get lost, which is no failure of the driver.
func retry(ctx context.Context, e *env.Env, driver, node string, request func(context.Context) error) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, request).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "driver %s on node %s should respond", driver, node)
}

// sendChange sends a request that changes the state of a driver's pod, with
// retries. Its timeout is longer than requestTimeout.
func sendChange(ctx context.Context, e *env.Env, driver, node string, request func(context.Context, operations.Driver) error) {
	ginkgo.GinkgoHelper()
	retry(ctx, e, driver, node, func(ctx context.Context) error {
		return send(ctx, e, e.Timeouts.Response, driver, node, request)
	})
}

// getStatus returns the status of a driver on a node, without retries.
func getStatus(ctx context.Context, e *env.Env, driver, node string) (status operations.Status, err error) {
	err = send(ctx, e, requestTimeout, driver, node, func(ctx context.Context, pod operations.Driver) (err error) {
		status, err = pod.Status(ctx, driver)
		return err
	})
	return status, err
}

// WaitForStatus waits until a driver on a node answers, and returns its status.
func WaitForStatus(ctx context.Context, e *env.Env, driver, node string) (status operations.Status) {
	ginkgo.GinkgoHelper()
	retry(ctx, e, driver, node, func(ctx context.Context) (err error) {
		status, err = getStatus(ctx, e, driver, node)
		return err
	})
	return status
}
