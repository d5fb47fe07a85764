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
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/internal/contexts"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// define registers a spec with Ginkgo.
func (s *Suite) define(ctx context.Context, spec Spec) {
	ginkgo.It(spec.ID, func(specCtx ginkgo.SpecContext) {
		gomega.RegisterFailHandler(func(message string, callerSkip ...int) { s.fail(ctx, message, callerSkip...) })
		if known := s.results[spec.ID]; known.Outcome != "" {
			ginkgo.Skip(string(known.Outcome) + ": " + known.Reason)
		}
		if s.failed && s.options.FailFast {
			ginkgo.Skip("an earlier spec failed")
		}
		if ended := EndedIn(ctx); ended != nil {
			ginkgo.Skip(ended.Summary())
		}
		if ctx.Err() != nil {
			ginkgo.Skip("the run was interrupted")
		}
		if s.lost != nil {
			ginkgo.Skip(s.lost.Error())
		}
		if s.options.Takes != nil && !s.options.Takes(spec) {
			s.elsewhere[spec.ID] = true
			ginkgo.Skip("another process runs it")
		}
		s.n++
		s.namespace = ""
		if s.options.Started != nil {
			s.options.Started(spec, s.n, s.total)
		}
		// The spec also ends when the run's context ends.
		bodyCtx, stop := contexts.EndingWith(specCtx, ctx, func() error { return context.Cause(ctx) })
		defer stop()
		e := s.env(spec)
		if why := e.LacksCapability(spec.Capabilities); why != "" {
			s.skip(NotApplicable, why)
		}
		gomega.Expect(s.enter(bodyCtx, spec, e)).To(gomega.Succeed(), "the cluster should have room for the spec")
		s.current = e
		defer func() { s.current = nil }()
		created, err := setUp(bodyCtx, ctx, e, s.options.Target, "the spec", spec.Journey != nil, func(err error) { s.left(e, err) })
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the namespace of the spec should be created")
		s.namespace = e.Namespace
		s.execute(bodyCtx, spec, created)
	}, ginkgo.SpecTimeout(s.timeout(spec)), ginkgo.GracePeriod(gracePeriod))
}

// gracePeriod is the time that a spec has to end after a failure or after its timeout. The
// reasons of the failure take half of it at most.
const gracePeriod = 10 * time.Second

// execute runs the body or the journey of a spec.
func (s *Suite) execute(ctx context.Context, spec Spec, created *setup) {
	if spec.Journey == nil {
		spec.Body(ctx, created.env)
		return
	}
	x := journey.NewExecution(spec.Journey)
	s.executions[spec.ID] = x
	// Journeys from a release with classic DRA have no auditor.
	schedulerChanged := func(audit.Scheduler) {}
	if created.auditor != nil {
		schedulerChanged = created.auditor.SchedulerChanged
	}
	x.Run(ctx, journey.NewRun(journey.Run{
		Env: created.env, Changer: s.options.Changer, DetectTarget: s.options.DetectTarget,
		SchedulerChanged: schedulerChanged, AwaitRemoval: s.awaitRemoval,
	}))
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

// env returns the environment of the spec that runs now.
func (s *Suite) env(spec Spec) *env.Env {
	c := s.options
	unique := fmt.Sprintf("%s-%d", c.Namespace, s.n)
	e := &env.Env{
		Client: c.Client, As: c.As, Namespace: unique, Unique: unique, Subject: c.Subject, Timeouts: c.Timeouts,
		Node: c.Node, Nodes: c.Nodes, ControlPlane: c.ControlPlane, Metrics: c.Metrics, Drivers: c.Drivers, Versions: c.Versions, Classic: c.Classic, ClassicControllers: c.ClassicControllers, Agent: c.Agent, Workload: c.Workload, Scheduler: c.Scheduler, ForeignScheduler: c.ForeignScheduler, Labels: maps.Clone(c.Labels),
		Started: time.Now(), Sees: spec.Sees, Findings: s.findings, NotApplicable: func(reason string) { s.skip(NotApplicable, reason) },
		NotFinished: func(reason string) { s.skip(Skipped, "not finished, because "+reason) },
		Pods:        map[types.NamespacedName]types.UID{}, ForReasons: env.NewAllowance(gracePeriod / 2), KeepsNamespace: s.keepsNamespaces(), ArtifactsDir: filepath.Join(c.Dir, "artifacts", spec.ID),
	}
	if spec.Journey == nil {
		// The spec only sees the kinds of devices that it declares, because
		// specs that run in parallel may use the others.
		e.Subject = c.Subject.Only(spec.Kinds)
	}
	return e
}
