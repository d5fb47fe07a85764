// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Driven has nodes with devices of the driver under test, which allocates the claims.
type Driven struct {
	*Cluster

	// name is the name of the driver, and devices the number of its devices on each node.
	name    string
	devices int
}

// devicesOfStarted is the number of devices that a driver has on each node that the spec
// has started.
const devicesOfStarted = 2

// UseDriver creates simulated nodes, whose devices are all free, and a DeviceClass. The
// driver is the one that the run has installed, or one that it starts. Everything is
// removed at the end of the spec, which must have [env.NeedsSimulatedNodes] and
// [env.NeedsClassicAllocator].
func UseDriver(ctx context.Context, e *env.Env, nodes int) *Driven {
	ginkgo.GinkgoHelper()
	d := &Driven{}
	expectGivenOnce(e) //nolint:contextcheck // The context of the spec has ended by then.
	if e.Classic != nil {
		e.Cleanups = append(e.Cleanups, func(ctx context.Context) error {
			if d.Cluster == nil {
				return nil // The spec has failed before it had claims.
			}
			return d.releaseClaims(ctx, e.Classic)
		})
		d.Cluster, d.name, d.devices = Create(ctx, e, nodes), e.Classic.Name(), e.Classic.DevicesPerNode()
		return d
	}
	return startDriver(ctx, e, nodes, operations.ClassicController{DevicesPerNode: devicesOfStarted}, nil, nil).Driven
}

// CreateClaims creates claims for one device each, which the driver under test allocates.
func (d *Driven) CreateClaims(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	for _, name := range names {
		d.CreateClaim(ctx, name, d.name, d.Class)
	}
}

// CreateClaimsOf is [Driven.CreateClaims] for another class.
func (d *Driven) CreateClaimsOf(ctx context.Context, class string, names ...string) {
	ginkgo.GinkgoHelper()
	for _, name := range names {
		d.CreateClaim(ctx, name, d.name, class)
	}
}

// CreateClaimOfRequests creates a claim with some requests for a device each, which the driver
// under test allocates.
func (d *Driven) CreateClaimOfRequests(ctx context.Context, name string, requests int) {
	ginkgo.GinkgoHelper()
	d.CreateClaim(ctx, name, d.name, slices.Repeat([]string{d.Class}, requests)...)
}

// HasDevices returns the condition of a claim that the driver under test has allocated for a
// node, with a number of different devices, one for each request.
func (d *Driven) HasDevices(node string, count int) func(Claim) error {
	return func(claim Claim) error {
		if err := d.AllocatedOn(node)(claim); err != nil {
			return err
		}
		devices, requests := map[string]bool{}, map[string]bool{}
		for i, name := range claim.Status.Allocation.names() {
			devices[name], requests[claim.Status.Allocation.Devices.Results[i].Request] = true, true
		}
		if len(devices) != count || len(requests) != count {
			return fmt.Errorf("the claim has the devices %v, and should have a device of its own for each of %d requests", claim.Status.Allocation.names(), count)
		}
		return nil
	}
}

// DevicesPerNode returns the number of devices of each node.
func (d *Driven) DevicesPerNode() int { return d.devices }

// Hold gets a claim allocated on a node for each name, in place of a scheduler, for a pod
// that no scheduler schedules and that has the same name.
func (d *Driven) Hold(ctx context.Context, node string, names ...string) {
	ginkgo.GinkgoHelper()
	d.CreateClaims(ctx, names...)
	for _, name := range names {
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, name, name), node)
	}
	for _, name := range names {
		d.WaitForClaim(ctx, name, "there is a device for the claim", d.AllocatedOn(node))
	}
}

// Names returns names for objects, each with a number.
func (c *Cluster) Names(prefix string, count int) []string {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("%s-%d", prefix, i))
	}
	return names
}

// AllocatedOn returns the condition of a claim that the driver under test has allocated
// for a node.
func (d *Driven) AllocatedOn(node string) func(Claim) error {
	return func(claim Claim) error {
		allocation := claim.Status.Allocation
		switch {
		case allocation == nil:
			return errors.New("the claim is not allocated")
		case allocation.Controller != d.name:
			return fmt.Errorf("the claim is allocated by %q, and should be by %q", allocation.Controller, d.name)
		case len(claim.Metadata.Finalizers) == 0:
			return errors.New("the claim has no finalizer of its driver")
		}
		for _, device := range allocation.names() {
			if !strings.HasPrefix(device, node+"/") {
				return fmt.Errorf("the claim has device %s, which is not one of node %s", device, node)
			}
		}
		return nil
	}
}

// AvailableOnlyOn returns the condition of a claim that the driver under test has allocated
// so that pods can use it on one of the nodes only.
func (d *Driven) AvailableOnlyOn(ctx context.Context, node string) func(Claim) error {
	return func(claim Claim) error {
		if err := d.AllocatedOn(node)(claim); err != nil {
			return err
		}
		for _, name := range d.Nodes {
			available, err := d.isAvailable(ctx, claim.Status.Allocation.NodeSelector, name)
			if err == nil && available != (name == node) {
				err = fmt.Errorf("the claim for node %s is available on node %s: %t", node, name, available)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// isAvailable reports whether a node is one of those of an allocation.
func (c *Cluster) isAvailable(ctx context.Context, nodes *corev1.NodeSelector, name string) (bool, error) {
	if nodes == nil {
		return true, nil
	}
	selector, err := nodeaffinity.NewNodeSelector(nodes)
	if err != nil {
		return false, fmt.Errorf("read the nodes of the allocation: %w", err)
	}
	found, err := c.env.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	return selector.Match(found), nil
}

// releaseClaims lets the calls of an installed driver continue and deletes the claims,
// which the driver has to deallocate, so that all devices are free for the next spec.
func (c *Cluster) releaseClaims(ctx context.Context, driver operations.ClassicDriver) error {
	errs := []error{driver.Scale(ctx, 1), c.retry(ctx, driver.Release)}
	for _, name := range c.claims {
		errs = append(errs, c.delete(ctx, claims, name))
	}
	// Claims that nobody deallocates must leave time to remove their finalizers.
	ctx, cancel := context.WithTimeout(ctx, c.env.Timeouts.Deletion)
	defer cancel()
	for _, name := range c.claims {
		err := wait.PollUntilContextCancel(ctx, env.PollInterval, true, func(ctx context.Context) (bool, error) {
			return c.checkRemoved(ctx, name) == nil, nil
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("the driver has not deallocated deleted claim %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// retry repeats a request to the driver until it succeeds. It has no leader for a while
// after a restart.
func (c *Cluster) retry(ctx context.Context, request func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, c.env.Timeouts.Recovery, true, func(ctx context.Context) (bool, error) {
		last = request(ctx)
		return last == nil, nil
	})
	return errors.Join(err, last)
}

// started is a driver that the spec has started.
type started struct {
	env     *env.Env
	process operations.ClassicProcess
}

// run starts the controller of a driver.
func (s *started) run(ctx context.Context, controller operations.ClassicController) {
	ginkgo.GinkgoHelper()
	ginkgo.By("starting the controller of driver " + controller.Driver)
	if !slices.Contains(s.env.ClassicDrivers, controller.Driver) {
		s.env.ClassicDrivers = append(s.env.ClassicDrivers, controller.Driver)
	}
	process, err := s.env.ClassicControllers.Start(ctx, controller)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	s.process = process
}

// kill ends the controller, if it runs.
func (s *started) kill() error {
	if s.process == nil {
		return nil
	}
	process := s.process
	s.process = nil
	return process.Kill()
}

// cleanUp ends the controller before the claims are removed: a driver that runs would add
// finalizers again.
func (s *started) cleanUp(context.Context) error { return s.kill() }
