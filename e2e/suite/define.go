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
func (r *runner) define(ctx context.Context, s Spec) {
	ginkgo.It(s.ID, func(specCtx ginkgo.SpecContext) {
		if known := r.results[s.ID]; known.Outcome != "" {
			ginkgo.Skip(string(known.Outcome) + ": " + known.Reason)
		}
		if ctx.Err() != nil {
			ginkgo.Skip("the run was interrupted")
		}
		r.n++
		if r.options.Started != nil {
			r.options.Started(s, r.n, r.total)
		}
		// The spec also ends when the run's context ends.
		bodyCtx, stop := endsWith(specCtx, ctx)
		defer stop()
		e, watched, err := r.setUp(bodyCtx, s)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "a spec needs a namespace")
		r.execute(bodyCtx, s, e, watched)
	}, ginkgo.SpecTimeout(r.timeout(s)), ginkgo.GracePeriod(10*time.Second))
}

// execute runs the body or the journey of a spec.
func (r *runner) execute(ctx context.Context, s Spec, e *env.Env, watched *auditor.Auditor) {
	if s.Journey == nil {
		s.Body(ctx, e)
		return
	}
	x := journey.NewExecution(s.Journey)
	r.executions[s.ID] = x
	x.Run(ctx, journey.NewRun(journey.Run{Env: e, Changer: r.options.Changer, Look: r.options.Look, SchedulerChanged: watched.SchedulerChanged, AwaitRemoval: r.awaitRemoval}))
}

// awaitRemoval registers a deleted namespace. The run waits for its removal at
// the end.
func (r *runner) awaitRemoval(namespace string) { r.namespaces = append(r.namespaces, namespace) }

func (r *runner) timeout(s Spec) time.Duration {
	if s.Journey != nil {
		return journeyFactor * r.options.SpecTimeout
	}
	return r.options.SpecTimeout
}

// setUp creates the spec's namespace, starts its auditor, and registers its
// cleanup. The cleanup dumps the objects of a failed spec, deletes what the
// spec created, and waits until the pods and claims are removed, because they
// hold devices.
func (r *runner) setUp(ctx context.Context, s Spec) (*env.Env, *auditor.Auditor, error) {
	c := r.options
	e := &env.Env{
		Client: c.Client, Namespace: fmt.Sprintf("%s-%d", c.Namespace, r.n), Subject: c.Subject, Timeouts: c.Timeouts,
		Nodes: c.Nodes, ControlPlane: c.ControlPlane, Drivers: c.Drivers, Versions: c.Versions, Workload: c.Workload, Scheduler: c.Scheduler, Labels: maps.Clone(c.Labels),
		ArtifactsDir: filepath.Join(c.Dir, "artifacts", s.ID),
	}
	if s.Journey == nil {
		// The spec only sees the kinds of devices that it declares, because
		// specs that run in parallel may use the others.
		e.Subject = c.Subject.Only(s.Kinds)
	}
	if err := namespaces.Create(ctx, e); err != nil {
		return nil, nil, err
	}
	watched := auditor.Start(ctx, e, c.Target)
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		alarms := watched.Stop(ctx)
		failed := ginkgo.CurrentSpecReport().Failed() || len(alarms) > 0
		if failed {
			namespaces.DumpOrLog(ctx, e)
		}
		err := namespaces.CleanUp(ctx, e)
		if err != nil && !failed {
			namespaces.DumpOrLog(ctx, e)
		}
		gomega.Expect(alarms).To(gomega.BeEmpty(), "nothing in the cluster should break a promise while the spec runs")
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "all that a spec created should disappear when it is deleted")
		r.awaitRemoval(e.Namespace)
	}, ginkgo.NodeTimeout(2*c.Timeouts.Deletion))
	return e, watched, namespaces.WaitForServiceAccount(ctx, e)
}

// endsWith returns a copy of ctx that also ends when other ends. stop releases
// the resources of the copy.
func endsWith(ctx, other context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	undo := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { undo(); cancel(nil) }
}
