// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// crowd is a trial that knows how many faults are run at the same time.
type crowd struct {
	// run runs the specs of a fault while so many faults are run, including this one.
	run func(ctx context.Context, f fault, running int) (report.Report, error)

	mu            sync.Mutex
	running, most int
	tries         map[string]int // by fault
}

func (c *crowd) control(context.Context, []fault) error { return nil }

func (c *crowd) runSpecs(ctx context.Context, f fault) (report.Report, error) {
	c.mu.Lock()
	c.running++
	c.most = max(c.most, c.running)
	running := c.running
	if c.tries == nil {
		c.tries = map[string]int{}
	}
	c.tries[f.Name]++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running--
	}()
	return c.run(ctx, f, running)
}

// finds returns the report in which a fault is found.
func finds(f fault) report.Report {
	s := right
	s.ID = f.Specs[0]
	return report.Report{Specs: []report.Spec{s}}
}

func misses(f fault) report.Report {
	return report.Report{Specs: []report.Spec{{ID: f.Specs[0], Outcome: suite.Passed}}}
}

// shared reports whether a fault can be run together with others.
func shared(f fault) bool { return f.Name != "alone" }

func TestFaultsAreRunTogether(t *testing.T) {
	g := NewWithT(t)
	met := make(chan struct{})
	c := &crowd{}
	c.run = func(ctx context.Context, f fault, running int) (report.Report, error) {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		switch {
		case f.Name == "alone" && running != 1:
			return report.Report{}, errors.New("others are run")
		case f.Name == "alone" || f.Name == "c":
			return finds(f), nil
		}
		// The first two wait for each other.
		select {
		case met <- struct{}{}:
		case <-met:
		case <-ctx.Done():
			return report.Report{}, errors.New("no other is run")
		}
		return finds(f), nil
	}
	r := runner{trial: c, parallel: 2, together: shared}
	outcomes, err := r.runFaults(t.Context(), []fault{ofDriver("alone", "s"), ofDriver("a", "s"), ofDriver("b", "s"), ofDriver("c", "s")})
	g.Expect(err).NotTo(HaveOccurred())
	var got []string
	for _, o := range outcomes {
		got = append(got, o.fault.Name+" "+string(o.verdict))
	}
	g.Expect(got).To(Equal([]string{"alone detected", "a detected", "b detected", "c detected"}))
	g.Expect(c.most).To(Equal(2))
	g.Expect(c.tries).To(Equal(map[string]int{"alone": 1, "a": 1, "b": 1, "c": 1}))
}

// A fault that is missed among others is judged by a run of its own.
func TestFaultMissedAmongOthersIsRunAlone(t *testing.T) {
	g := NewWithT(t)
	c := &crowd{}
	c.run = func(_ context.Context, f fault, running int) (report.Report, error) {
		c.mu.Lock()
		tries := c.tries[f.Name]
		c.mu.Unlock()
		if tries == 2 && running != 1 {
			return report.Report{}, errors.New("others are run")
		}
		if f.Name == "never" || tries == 1 {
			return misses(f), nil
		}
		return finds(f), nil
	}
	r := runner{trial: c, parallel: 2, together: shared}
	outcomes, err := r.runFaults(t.Context(), []fault{ofDriver("second", "s"), ofDriver("never", "s")})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomes[0].verdict).To(Equal(detected), outcomes[0].reason)
	g.Expect(outcomes[1].verdict).To(Equal(undetected), outcomes[1].reason)
	g.Expect(c.tries).To(Equal(map[string]int{"second": 2, "never": 2}))
}

func TestInterruptedParallelRunNamesTheRemainingFaults(t *testing.T) {
	g := NewWithT(t)
	ctx, stop := context.WithCancel(t.Context())
	c := &crowd{}
	c.run = func(ctx context.Context, _ fault, running int) (report.Report, error) {
		if running == 2 {
			stop()
		}
		<-ctx.Done()
		return report.Report{}, context.Cause(ctx)
	}
	r := runner{trial: c, parallel: 2, together: shared}
	outcomes, err := r.runFaults(ctx, []fault{ofDriver("a", "s"), ofDriver("b", "s"), ofDriver("c", "s"), ofDriver("alone", "s")})
	g.Expect(err).To(MatchError("not all faults were run: continue with MUTANT='^(a|b|c|alone)$'"))
	g.Expect(outcomes).To(BeEmpty())
	g.Expect(c.tries).To(Equal(map[string]int{"a": 1, "b": 1}))
}

func TestFaultsWhoseSpecsDisturbNodesAreRunAlone(t *testing.T) {
	g := NewWithT(t)
	of := func(spec string) fault {
		return fault{Name: "f", Specs: []string{spec}, reason: regexp.MustCompile("")}
	}
	g.Expect(together(of("prepare-again-while-pod-runs"))).To(BeTrue())
	g.Expect(together(of("exclusive-survives-driver-restart"))).To(BeTrue(), "the driver with the fault is restarted")
	g.Expect(together(of("exclusive-survives-node-restart"))).To(BeFalse())
	g.Expect(together(of("exclusive-survives-kubelet-restart"))).To(BeFalse())
}
