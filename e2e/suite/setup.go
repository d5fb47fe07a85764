// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/auditor"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// setup is what a spec needs while it runs: a namespace and an auditor.
type setup struct {
	env *env.Env
	// run is the context of the run.
	run context.Context
	// auditor is nil in a cluster without the API that it reads, and while a journey changes a
	// release with classic DRA: it may disable what the auditor expects.
	auditor *auditor.Auditor
	// spec is the text for the spec in failures.
	spec string
	// left receives the result of the removal of the spec's objects.
	left    func(error)
	cleaned bool
}

// setUp creates the namespace of a spec, starts its auditor, and registers
// cleanUp with Ginkgo. The namespace of a guest exists.
func setUp(ctx, run context.Context, e *env.Env, target env.Target, spec string, isJourney bool, left func(error)) (*setup, error) {
	if e.Guest == nil {
		if err := namespaces.Create(ctx, e); err != nil {
			return nil, err
		}
	}
	s := &setup{env: e, run: run, spec: spec, left: left}
	switch {
	case target.Found[features.Core].Present:
		s.auditor = auditor.Start(ctx, e, target)
	case (target.Found[features.ClassicAPI].Present || target.Found[features.ResourceClasses].Present) && !isJourney:
		s.auditor = auditor.StartClassic(ctx, e, target)
	}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		s.cleanUp(ctx)
	}, ginkgo.NodeTimeout(2*e.Timeouts.Deletion+auditor.StopTimeout))
	return s, namespaces.WaitForServiceAccount(ctx, e)
}

// cleanUp stops the auditor, dumps the objects of a failed spec, deletes the
// objects of the spec, and waits until the pods and claims are removed, because
// they hold devices. It fails the spec if the auditor raised an alarm, or if
// objects remain. If a component of the control plane has ended, the objects remain
// until that is removed. Only the first call has an effect.
func (s *setup) cleanUp(ctx context.Context) {
	ginkgo.GinkgoHelper()
	if s.cleaned {
		return
	}
	s.cleaned = true
	whole, stop := untilEnded(ctx, s.run)
	defer stop()
	var alarms []string
	if s.auditor != nil {
		alarms = s.auditor.Stop(whole)
	}
	failed := ginkgo.CurrentSpecReport().Failed() || len(alarms) > 0
	if failed {
		s.dump(ctx)
	}
	err := namespaces.CleanUp(whole, s.env)
	if EndedIn(s.run) != nil { //nolint:contextcheck // The run's context, not that of the cleanup, says it.
		if !failed {
			s.dump(ctx)
		}
		gomega.Expect(alarms).To(gomega.BeEmpty(), "no invariant should be violated until the run ended")
		return
	}
	s.left(err)
	if err != nil && !failed {
		s.dump(ctx)
	}
	gomega.Expect(alarms).To(gomega.BeEmpty(), "no invariant should be violated while %s runs", s.spec)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "all objects of %s should be removed", s.spec)
}

// dump writes the objects of the spec. They explain nothing if the end of a component is
// why the spec was not finished, and there may be no API server.
func (s *setup) dump(ctx context.Context) {
	if ended := EndedIn(s.run); ended == nil || ended.fails() { //nolint:contextcheck // The run's context, not that of the cleanup, says it.
		namespaces.DumpOrLog(ctx, s.env)
	}
}
