// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// removals records which clusters are removed.
type removals []string

func (r *removals) remove(_ context.Context, left leftCluster) error {
	*r = append(*r, left.Name)
	return nil
}

func TestHandoverKeepsAsManyClustersAsJourneysCanTake(t *testing.T) {
	g := NewWithT(t)
	all := newJourneys("a", "b", "c")
	start := all[0].Journey.InitialCluster
	var removed removals
	h := newHandover(all, removed.remove)
	for range 2 {
		taken, handsOn := h.begin(start)
		g.Expect(taken).To(BeNil(), "no journey has ended")
		g.Expect(handsOn).To(BeTrue())
	}
	g.Expect(h.end(t.Context(), start, leftCluster{Name: "one"})).To(Succeed())
	g.Expect(h.end(t.Context(), start, leftCluster{Name: "two"})).To(Succeed())
	g.Expect(removed).To(ConsistOf("two"), "one journey is left")
	taken, handsOn := h.begin(start)
	g.Expect(taken).To(HaveField("Name", "one"))
	g.Expect(handsOn).To(BeFalse(), "no journey is left")
	g.Expect(h.close(t.Context())).To(Succeed())
	g.Expect(removed).To(HaveLen(1))
}

func TestHandoverRemovesWhatNoJourneyHasTaken(t *testing.T) {
	g := NewWithT(t)
	all := newJourneys("a", "b")
	start := all[0].Journey.InitialCluster
	var removed removals
	h := newHandover(all, removed.remove)
	h.begin(start)
	g.Expect(h.end(t.Context(), start, leftCluster{Name: "one"})).To(Succeed())
	g.Expect(h.close(t.Context())).To(Succeed())
	g.Expect(removed).To(ConsistOf("one"), "the run has ended early")
	g.Expect(h.close(t.Context())).To(Succeed())
	g.Expect(removed).To(HaveLen(1), "once")

	h = newHandover(all, func(context.Context, leftCluster) error { return errors.New("no engine") })
	h.begin(start)
	h.skip(start)
	g.Expect(h.end(t.Context(), start, leftCluster{})).To(MatchError("no engine"), "the other journey cannot run")
}

// A journey that has failed to restore its cluster must not make others fail.
func TestOnlyRestoredClustersAreLeft(t *testing.T) {
	newest := clusters.Newest()
	defaults, err := gates.Parse("default", newest)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	alpha, err := gates.Parse("alpha", newest)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	right := skew.State{
		{Instance: skew.Instance{Component: skew.APIServer}, Release: newest, Gates: defaults},
		{Instance: skew.Instance{Component: skew.Scheduler}, Release: newest, Gates: defaults, Scheduler: skew.KubeScheduler},
	}
	for name, c := range map[string]struct {
		change func(*skew.Running)
		want   string
	}{
		"restored":          {func(*skew.Running) {}, ""},
		"other gates":       {func(r *skew.Running) { r.Gates = alpha }, "runs " + newest.Minor + " with gates alpha"},
		"another scheduler": {func(r *skew.Running) { r.Scheduler = skew.DraconformScheduler }, "the scheduler is draconform"},
		"stopped":           {func(r *skew.Running) { r.Stopped = true }, "scheduler is stopped"},
		"not settled":       {func(r *skew.Running) { r.Unsettled = "it restarts" }, "scheduler: it restarts"},
		"silent":            {func(r *skew.Running) { r.Silent = true }, "scheduler does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			state := append(skew.State{}, right...)
			c.change(&state[1])
			var changer struct{ operations.Changer }
			err := errors.Join(restored(newJourneys("a"), env.Target{Changer: changer, State: state, Workers: 2}), settled(state))
			if c.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(c.want)))
		})
	}
}
