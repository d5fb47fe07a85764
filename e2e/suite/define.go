// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/auditor"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// define registers a spec with Ginkgo.
func (s *Suite) define(ctx context.Context, spec Spec) {
	ginkgo.It(spec.ID, func(specCtx ginkgo.SpecContext) {
		if known := s.results[spec.ID]; known.Outcome != "" {
			ginkgo.Skip(string(known.Outcome) + ": " + known.Reason)
		}
		if ctx.Err() != nil {
			ginkgo.Skip("the run was interrupted")
		}
		s.n++
		if s.options.Started != nil {
			s.options.Started(spec, s.n, s.total)
		}
		// The spec also ends when the run's context ends.
		bodyCtx, stop := endsWith(specCtx, ctx)
		defer stop()
		e, specAuditor, err := s.setUp(bodyCtx, spec)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the namespace of the spec should be created")
		s.current = &current{spec, e}
		defer func() { s.current = nil }()
		s.execute(bodyCtx, spec, e, specAuditor)
	}, ginkgo.SpecTimeout(s.timeout(spec)), ginkgo.GracePeriod(10*time.Second))
}

// execute runs the body or the journey of a spec.
func (s *Suite) execute(ctx context.Context, spec Spec, e *env.Env, specAuditor *auditor.Auditor) {
	if spec.Journey == nil {
		spec.Body(ctx, e)
		return
	}
	x := journey.NewExecution(spec.Journey)
	s.executions[spec.ID] = x
	x.Run(ctx, journey.NewRun(journey.Run{Env: e, Changer: s.options.Changer, DetectTarget: s.options.DetectTarget, SchedulerChanged: specAuditor.SchedulerChanged, AwaitRemoval: s.awaitRemoval}))
}

// awaitRemoval registers a deleted namespace. The run waits for its removal at
// the end.
func (s *Suite) awaitRemoval(namespace string) { s.namespaces = append(s.namespaces, namespace) }

func (s *Suite) timeout(spec Spec) time.Duration {
	if spec.Journey != nil {
		return journeyFactor * s.options.SpecTimeout
	}
	return s.options.SpecTimeout
}

// setUp creates the spec's namespace, starts its auditor, and registers its
// cleanup. The cleanup dumps the objects of a failed spec, deletes the objects
// of the spec, and waits until the pods and claims are removed, because they
// hold devices.
func (s *Suite) setUp(ctx context.Context, spec Spec) (*env.Env, *auditor.Auditor, error) {
	c := s.options
	unique := fmt.Sprintf("%s-%d", c.Namespace, s.n)
	e := &env.Env{
		Client: c.Client, Namespace: unique, Unique: unique, Subject: c.Subject, Timeouts: c.Timeouts,
		Nodes: c.Nodes, ControlPlane: c.ControlPlane, Drivers: c.Drivers, Versions: c.Versions, Workload: c.Workload, Scheduler: c.Scheduler, Labels: maps.Clone(c.Labels),
		ArtifactsDir: filepath.Join(c.Dir, "artifacts", spec.ID),
	}
	if spec.Journey == nil {
		// The spec only sees the kinds of devices that it declares, because
		// specs that run in parallel may use the others.
		e.Subject = c.Subject.Only(spec.Kinds)
	}
	if err := s.enterNamespace(ctx, e); err != nil {
		return nil, nil, err
	}
	if err := s.waitForDevices(ctx, spec, e); err != nil {
		return nil, nil, err
	}
	specAuditor := auditor.Start(ctx, e, c.Target)
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		alarms := specAuditor.Stop(ctx)
		failed := ginkgo.CurrentSpecReport().Failed() || len(alarms) > 0
		if failed {
			namespaces.DumpOrLog(ctx, e)
		}
		err := s.cleanUp(ctx, e)
		if err != nil && !failed {
			namespaces.DumpOrLog(ctx, e)
		}
		gomega.Expect(alarms).To(gomega.BeEmpty(), "no invariant should be violated while the spec runs")
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "all objects of the spec should be removed")
	}, ginkgo.NodeTimeout(2*c.Timeouts.Deletion))
	return e, specAuditor, namespaces.WaitForServiceAccount(ctx, e)
}

// endsWith returns a copy of ctx that also ends when other ends. stop releases
// the resources of the copy.
func endsWith(ctx, other context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	undo := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { undo(); cancel(nil) }
}
