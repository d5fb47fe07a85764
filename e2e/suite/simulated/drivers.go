// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package simulated

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// DriverNames returns the names of the drivers that a spec's simulated nodes can
// have: that of [CreateNodes] and that of [Nodes.AddDriver].
func DriverNames(e *env.Env) []string {
	return []string{e.UniqueName() + driverDomain, e.UniqueName() + ".second" + driverDomain}
}

const driverDomain = ".draconform.dev"

// AddDriver adds a second driver to the nodes, with its own DeviceClass. It
// returns the same nodes with this driver.
func (s *Nodes) AddDriver(ctx context.Context) *Nodes {
	ginkgo.GinkgoHelper()
	second := &Nodes{Driver: DriverNames(s.env)[1], Names: s.Names, env: s.env}
	s.env.SimulatedDrivers = append(s.env.SimulatedDrivers, second.Driver)
	s.env.Cleanups = append(s.env.Cleanups, second.removeSlices)
	second.createClass(ctx, "second")
	return second
}

// createClass creates the DeviceClass of all devices of the driver.
func (s *Nodes) createClass(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	s.Class = claims.CreateDeviceClassWithSpec(ctx, s.env, name, resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", s.Driver)}}},
	})
}

// removeSlices deletes the ResourceSlices of the driver.
func (s *Nodes) removeSlices(ctx context.Context) error {
	return s.delete(ctx, func(resourceapi.ResourcePool) bool { return true })
}
