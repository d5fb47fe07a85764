// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"time"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
)

// guest reports whether the run is one among other workloads. Runs with the
// fake drivers are not: each of their specs has a namespace of its own.
func (p *plan) guest() bool { return len(p.described) > 0 }

// architectures returns those of an image of the workload. An image of the user
// may be for any.
func architectures(image string) []string {
	if image != images.Workload.Ref {
		return nil
	}
	return images.Workload.Architectures()
}

// OwnNamespace returns the name of the namespace that a run among other workloads
// creates for its specs, by the last part of its id. The run deletes it, so it is
// not the one that the run itself may run in. Each worker has another one.
func OwnNamespace(suffix string) string { return "draconform-" + suffix + "-specs" }

// guestConfig returns the configuration of a run among other workloads.
func (r *runner) guestConfig(of subject.Subject) guest.Config {
	return guest.Config{
		Client: r.client, Namespace: cmp.Or(r.Namespace, r.ofProcess(OwnNamespace(r.suffix))), Given: r.Namespace != "",
		RunID: r.id, Labels: r.labels(), Architectures: architectures(r.WorkloadImage),
		Subject: of, Workload: r.WorkloadImage, Scheduler: r.SchedulerName, Timeouts: r.timeouts().For(r.described...),
		Waiting: func(holder string) {
			r.Progress.Printf("   namespace %s is in use by run %s, waiting until it is free", r.Namespace, holder)
		},
	}
}

// enter creates the namespace of a run among other workloads, or waits until a
// given one is free. It calls lost when the run loses the namespace. leave removes
// what is left of the run.
func (r *runner) enter(ctx context.Context, lost context.CancelCauseFunc) (leave func() error, err error) {
	if r.among == nil {
		return func() error { return nil }, nil
	}
	st := r.Progress.Task("namespace %s", r.guestConfig(subject.Subject{}).Namespace)
	if err := r.among.Open(ctx, lost); err != nil {
		return nil, st.Fail(err)
	}
	st.Done("")
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if r.Keep {
			return r.among.Leave(ctx)
		}
		return r.among.Close(ctx)
	}, nil
}

// checkPods returns an error if pods or claims of specs are not admitted to the
// namespace, or if their image does not run.
func (r *runner) checkPods(ctx context.Context) error {
	if r.among == nil {
		return nil
	}
	st := r.Progress.Task("pods without devices")
	admission, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := r.among.CheckAdmission(admission); err != nil {
		return st.Fail(err)
	}
	if err := r.among.CheckWorkload(ctx); err != nil {
		return st.Fail(err)
	}
	st.Done("run")
	return nil
}

// countUsableNodes returns the number of nodes with devices of each driver that
// its pods can run on.
func (r *runner) countUsableNodes(ctx context.Context, of subject.Subject) (map[string]int, error) {
	return guest.CountUsableNodes(ctx, r.client, &env.Guest{Architectures: architectures(r.WorkloadImage)}, of)
}
