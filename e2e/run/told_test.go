// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

// The components of a control plane may end after the last spec, or before the first.
func TestEndIsKnownWhenTheWatchStops(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("TMPDIR", t.TempDir())
	p, err := Config{Provider: ControlPlane}.validate()
	g.Expect(err).NotTo(HaveOccurred())
	r := &runner{plan: p, dir: t.TempDir()}
	c := r.newControlPlane(controlPlaneParts{Programs: fakePrograms(t)})
	g.Expect(r.create(t.Context(), c)).To(Succeed())
	defer func() { g.Expect(c.remove(t.Context())).To(Succeed()) }()
	_, unwatch := c.watch(t.Context())
	g.Expect(unwatch()).To(BeNil()) //nolint:ginkgolinter // A nil pointer is no nil error.

	ctx, cancel := context.WithCancel(t.Context())
	cancel() // The run was interrupted, so that the watch does not report.
	_, unwatch = c.watch(ctx)
	g.Expect(syscall.Kill((&halfway{runner: r}).pidOf(t, "control-plane", "etcd"), syscall.SIGKILL)).To(Succeed())
	g.Eventually(c.provider.FirstEnded).WithTimeout(lots).ShouldNot(BeNil()) //nolint:ginkgolinter // A nil pointer is no nil error.
	ended := unwatch()
	g.Expect(ended.Summary()).To(Equal("etcd has ended: signal: killed"))
	g.Expect(ended.Tested).To(BeFalse())

	interrupted := errors.New("interrupted")
	g.Expect(withEnded(nil, nil)).To(Succeed())
	g.Expect(withEnded(interrupted, nil)).To(Equal(interrupted))
	g.Expect(withEnded(interrupted, ended)).To(And(MatchError(interrupted), MatchError(ended)))
	known := fmt.Errorf("run specs: %w", ended)
	g.Expect(withEnded(known, ended)).To(Equal(known), "it is not repeated")
}

// What workers that are terminated report depends on whose control plane has ended.
func TestWorkersLearnWhyTheRunEnds(t *testing.T) {
	ended := &suite.Ended{Component: "kube-scheduler", Result: "exit status 2", Text: "a text", Tested: true, Process: 2, At: time.Now()}
	for name, test := range map[string]struct {
		cause     error
		input     workerInput
		want      bool
		elsewhere bool
	}{
		"Ctrl-C":                        {cause: errors.New("interrupt")},
		"fail fast":                     {cause: errFailFast},
		"its own control plane":         {cause: ended, input: workerInput{Process: 2, ControlPlane: &controlPlaneParts{}}, want: true},
		"another's control plane":       {cause: ended, input: workerInput{Process: 2}, want: true, elsewhere: true},
		"another one next to the run's": {cause: ended, input: workerInput{Process: 3, ControlPlane: &controlPlaneParts{}}, want: true, elsewhere: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := &runner{plan: &plan{}, dir: t.TempDir()}
			test.input.Dir = r.dir
			run, end := context.WithCancelCause(t.Context())
			worker, terminate := context.WithCancelCause(t.Context())
			told, stop := test.input.toldWhy(worker)
			defer stop()
			end(test.cause)
			g.Expect(r.writeEnded(run)).To(Succeed())
			terminate(errors.New("terminated"))
			<-told.Done()
			got := suite.EndedIn(told)
			if !test.want {
				g.Expect(got).To(BeNil()) //nolint:ginkgolinter // A nil pointer is no nil error.
				g.Expect(context.Cause(told)).To(MatchError("terminated"))
				return
			}
			g.Expect(got.Elsewhere).To(Equal(test.elsewhere))
			g.Expect(got).To(And(HaveField("Component", "kube-scheduler"), HaveField("Text", "a text"), HaveField("Tested", true)))
			g.Expect(got.At.Equal(ended.At)).To(BeTrue())
			r.removeEnded()
			g.Expect(test.input.readEnded()).To(BeNil()) //nolint:ginkgolinter // A nil pointer is no nil error.
		})
	}
	g := NewWithT(t)
	run, end := context.WithCancelCause(t.Context())
	end(ended)
	g.Expect((&runner{plan: &plan{}, dir: "/nowhere"}).writeEnded(run)).To(MatchError(HavePrefix("tell other processes why the run has ended: ")))
}
