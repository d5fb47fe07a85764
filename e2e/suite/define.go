package suite

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
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
		if r.config.Started != nil {
			r.config.Started(s, r.n, r.total)
		}
		// The spec also ends when the run's context ends.
		bodyCtx, stop := endsWith(specCtx, ctx)
		defer stop()
		e, err := r.setUp(bodyCtx, s)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "a spec needs a namespace")
		r.body(s)(bodyCtx, e)
	}, ginkgo.SpecTimeout(r.timeout(s)), ginkgo.GracePeriod(10*time.Second))
}

// body returns the function that runs a spec.
func (r *runner) body(s Spec) func(context.Context, *Env) {
	if s.Journey == nil {
		return s.Body
	}
	t := newTraveller(s.Journey, r.config.Changer)
	r.travellers[s.ID] = t
	return t.body
}

func (r *runner) timeout(s Spec) time.Duration {
	if s.Journey != nil {
		return journeyFactor * r.config.SpecTimeout
	}
	return r.config.SpecTimeout
}

// setUp creates the spec's namespace and registers its cleanup. The cleanup
// dumps the objects of a failed spec, deletes what the spec created, and waits
// until the pods and claims are removed, because they hold devices.
func (r *runner) setUp(ctx context.Context, s Spec) (*Env, error) {
	c := r.config
	e := &Env{
		Client: c.Client, Namespace: fmt.Sprintf("%s-%d", c.Namespace, r.n), Subject: c.Subject, Timeouts: c.Timeouts,
		nodes: c.Nodes, controlPlane: c.ControlPlane, drivers: c.Drivers, versions: c.Versions, changer: c.Changer, workload: c.Workload, scheduler: c.Scheduler, labels: maps.Clone(c.Labels),
		situation: c.Look, left: filepath.Join(c.Dir, "artifacts", s.ID),
		opened: func(namespace string) { r.namespaces = append(r.namespaces, namespace) },
	}
	if s.Journey == nil {
		// The spec only sees the kinds of devices that it declares, because specs that run in parallel may use the
		// others.
		e.Subject = c.Subject.Only(s.Kinds)
	}
	if err := e.open(ctx); err != nil {
		return nil, err
	}
	watched := e.watch(ctx, c.Situation)
	e.allocates = watched.turns.begin
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		alarms := watched.end(ctx)
		failed := ginkgo.CurrentSpecReport().Failed() || len(alarms) > 0
		if failed {
			e.keep(ctx)
		}
		err := e.tearDown(ctx)
		if err != nil && !failed {
			e.keep(ctx)
		}
		gomega.Expect(alarms).To(gomega.BeEmpty(), "nothing in the cluster should break a promise while the spec runs")
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "all that a spec created should disappear when it is deleted")
		e.opened(e.Namespace)
	}, ginkgo.NodeTimeout(2*c.Timeouts.Gone))
	return e, e.serviceAccount(ctx)
}

// endsWith returns a copy of ctx that also ends when other ends. stop releases
// its resources.
func endsWith(ctx, other context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	undo := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { undo(); cancel(nil) }
}
