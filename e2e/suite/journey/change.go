// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite/auditor"
)

// Upgrade changes components to another release, which can be newer or older.
// It changes them in the order that Kubernetes supports. Without components it
// changes all components.
func (r *Run) Upgrade(ctx context.Context, release string, components ...skew.Component) {
	ginkgo.GinkgoHelper()
	to, err := clusters.FindRelease(release)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	r.Change(ctx, skew.Want{Release: to, Components: components})
}

// SetGates sets the feature gates of components. Without components it sets
// those of all components.
func (r *Run) SetGates(ctx context.Context, gates string, components ...skew.Component) {
	ginkgo.GinkgoHelper()
	r.Change(ctx, skew.Want{Gates: gates, Components: components})
}

// Change changes the cluster as wanted. It returns when all components are
// ready.
func (r *Run) Change(ctx context.Context, want skew.Want) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("changing components %v to release %q, gates %q, scheduler %q", want.Components, want.Release.Minor, want.Gates, want.Scheduler))
	r.changing = &want
	scheduler := len(want.Components) == 0 || slices.Contains(want.Components, skew.Scheduler)
	if scheduler {
		r.SchedulerChanged(auditor.AnyScheduler)
	}
	err := r.Changer.Change(ctx, want)
	if unprovided, ok := errors.AsType[*skew.Unprovided](err); ok {
		r.unprovided = true
		r.NotFinished(unprovided.Error())
	}
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the change should succeed and all components should be ready")
	r.changing = nil
	if scheduler {
		target, err := r.DetectTarget(ctx)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the state of the cluster should be detected")
		r.SchedulerChanged(auditor.SchedulerOf(target))
	}
	r.interruptOnce(ctx)
}

// interruptOnce kills the scheduler and the controller manager if that is
// pending. Both must recover.
func (r *Run) interruptOnce(ctx context.Context) {
	ginkgo.GinkgoHelper()
	if r.interrupt {
		r.interrupt = false
		r.Kill(ctx, skew.Scheduler)
		r.Kill(ctx, skew.ControllerManager)
	}
}

// WithComponentStopped stops a component of the control plane, calls meanwhile,
// and starts the component again.
func (r *Run) WithComponentStopped(ctx context.Context, component skew.Component, meanwhile func()) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("stopping %s", component))
	gomega.Expect(r.Changer.Stop(ctx, component)).To(gomega.Succeed())
	// The component is started even if meanwhile fails. The spec's cleanup and
	// the dump need it.
	defer func() {
		ginkgo.By(fmt.Sprintf("starting %s again", component))
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
		defer cancel()
		gomega.Expect(r.Changer.Start(ctx, component)).To(gomega.Succeed())
	}()
	meanwhile()
}

// startTimeout is how long a component, and those that depend on it, may take
// to be ready.
const startTimeout = 5 * time.Minute

// Kill kills the process of a component. It does not wait for the restart.
func (r *Run) Kill(ctx context.Context, component skew.Component) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("killing %s", component))
	gomega.Expect(r.Changer.Kill(ctx, component)).To(gomega.Succeed())
}

// WaitDuration waits for a fixed time in which nothing can be polled, for
// example while the API server is stopped.
func (r *Run) WaitDuration(ctx context.Context, d time.Duration) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting for %s", d))
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		gomega.Expect(context.Cause(ctx)).NotTo(gomega.HaveOccurred())
	}
}
