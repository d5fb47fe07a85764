// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"errors"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// current is a spec whose body runs.
type current struct {
	spec Spec
	env  *env.Env
}

// enterNamespace creates the namespace of the spec. The specs of a guest share
// one that exists.
func (s *Suite) enterNamespace(ctx context.Context, e *env.Env) error {
	if s.options.Guest == nil {
		return namespaces.Create(ctx, e)
	}
	e.Guest = s.options.Guest.Info()
	name, err := s.options.Guest.Namespace(ctx)
	if errors.Is(err, guest.ErrUnclean) {
		s.skip(Skipped, "not run, because "+err.Error())
	}
	e.Namespace = name
	return err
}

// waitForDevices waits until the devices that the spec of a guest needs are
// free. If they stay in use, the spec is not applicable.
func (s *Suite) waitForDevices(ctx context.Context, spec Spec, e *env.Env) error {
	if s.options.Guest == nil {
		return nil
	}
	lacking, err := s.options.Guest.WaitForDevices(ctx, e, guest.Devices{Kinds: spec.Kinds, Fields: spec.Fields, Count: spec.Devices}, s.options.Timeouts.PodStart)
	if lacking != "" {
		s.skip(NotApplicable, lacking)
	}
	return err
}

// fail handles the failure of an assertion. A failure for which neighbours of a
// guest are responsible says nothing about the cluster or the driver.
func (s *Suite) fail(message string, callerSkip ...int) {
	skip := 1
	if len(callerSkip) > 0 {
		skip += callerSkip[0]
	}
	if running := s.current; running != nil && s.options.Guest != nil {
		// The spec's context may have ended, which is then why it fails.
		ctx, cancel := context.WithTimeout(context.Background(), s.options.Timeouts.Unschedulable)
		defer cancel()
		if why := s.options.Guest.Neighbours(ctx, running.env, message); why != "" {
			namespaces.DumpOrLog(ctx, running.env)
			s.skip(NotApplicable, "not conclusive: "+why)
		}
	}
	ginkgo.Fail(message, skip)
}

// skip ends the spec that Ginkgo runs with an outcome and its reason.
func (s *Suite) skip(outcome Outcome, reason string) {
	s.decided[ginkgo.CurrentSpecReport().LeafNodeText] = Result{Outcome: outcome, Reason: reason}
	ginkgo.Skip(reason)
}

// cleanUp removes the objects of the spec.
func (s *Suite) cleanUp(ctx context.Context, e *env.Env) error {
	err := namespaces.CleanUp(ctx, e)
	switch {
	case s.options.Guest != nil:
		s.options.Guest.CleanedUp(err)
	case err == nil:
		s.awaitRemoval(e.Namespace)
	}
	return err
}
