// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// Started has the controllers of a driver that the spec has started, in addition to nodes with
// devices of the driver.
type Started struct {
	*Driven

	controller operations.ClassicController
	processes  []*started
}

// StartDriver creates simulated nodes, with labels by their numbers, and starts a driver with
// some devices, whose nodes are those with the labels in restrict. Everything is removed at the
// end of the spec, which must have [env.NeedsSimulatedNodes] and [env.NeedsClassicControllers].
func StartDriver(ctx context.Context, e *env.Env, nodes int, of operations.ClassicController, restrict map[string]string, labels ...func(node int) map[string]string) *Started {
	ginkgo.GinkgoHelper()
	expectGivenOnce(e) //nolint:contextcheck // The context of the spec has ended by then.
	return startDriver(ctx, e, nodes, of, restrict, labels)
}

func startDriver(ctx context.Context, e *env.Env, nodes int, of operations.ClassicController, restrict map[string]string, labels []func(node int) map[string]string) *Started {
	ginkgo.GinkgoHelper()
	s := &Started{Driven: &Driven{}, controller: of}
	// A driver that runs would add finalizers again to claims that are removed.
	e.Cleanups = append(e.Cleanups, s.killAll)
	s.Cluster = Create(ctx, e, nodes, labels...)
	s.name, s.devices = s.Driver("a"), of.DevicesPerNode
	s.controller.Driver, s.controller.Namespace, s.controller.Nodes = s.name, e.Namespace, simulated.LabelsOf(e)
	maps.Copy(s.controller.Nodes, restrict)
	s.StartAnother(ctx)
	return s
}

// StartAnother starts one more controller of the driver, and returns its number.
func (s *Started) StartAnother(ctx context.Context) int {
	ginkgo.GinkgoHelper()
	process := &started{env: s.env}
	s.processes = append(s.processes, process)
	process.run(ctx, s.controller)
	return len(s.processes) - 1
}

// Running returns the number of the controller that was started last.
func (s *Started) Running() int { return len(s.processes) - 1 }

// Kill ends a controller without time to clean up.
func (s *Started) Kill(number int) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("killing controller %d of driver %s", number, s.name))
	gomega.Expect(s.processes[number].kill()).To(gomega.Succeed())
}

func (s *Started) killAll(context.Context) error {
	var errs []error
	for _, process := range s.processes {
		errs = append(errs, process.kill())
	}
	return errors.Join(errs...)
}

// AvailableOn returns the condition of a claim that the driver has allocated so that pods can
// use it on these nodes only.
func (s *Started) AvailableOn(ctx context.Context, nodes ...string) func(Claim) error {
	return func(claim Claim) error {
		allocation := claim.Status.Allocation
		if allocation == nil || allocation.Controller != s.name || len(allocation.names()) == 0 {
			return fmt.Errorf("the claim has the allocation %+v", allocation)
		}
		for _, name := range s.Nodes {
			available, err := s.isAvailable(ctx, allocation.NodeSelector, name)
			if err == nil && available != slices.Contains(nodes, name) {
				err = fmt.Errorf("the claim is available on node %s: %t", name, available)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}
