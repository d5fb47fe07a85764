// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package journey runs scenarios that change the components of a cluster while
// workloads run.
package journey

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite/env"
)

// Journey makes a spec a scenario that changes the cluster while its workloads
// run, step by step. After each step, the checked pods and the other objects of
// the spec must be unchanged (see [Run.CheckAfterEachStep]). In one step
// half-way, the scheduler and the controller manager are killed after the first
// change of the step, so that they restart during the rest of the step.
type Journey struct {
	// InitialCluster describes the cluster that the journey starts with.
	InitialCluster InitialCluster
	// OfSchedulers is set if the journey changes the scheduler, or is possible
	// with that of InitialCluster only. A run must then not replace the
	// scheduler of InitialCluster by another one.
	OfSchedulers bool
	// Steps returns the steps. It is called once for each run, so that steps
	// can share variables.
	Steps func() []Step
}

// InitialCluster describes the cluster that a journey starts with.
type InitialCluster struct {
	// Release is the Kubernetes release of all components, such as 1.36.
	Release string `json:"release"`
	// Gates is a set of feature gates, in the syntax of gates.Parse.
	Gates string `json:"gates"`
	// Scheduler is kube-scheduler or draconform.
	Scheduler string `json:"scheduler"`
	// Workers is the minimum number of worker nodes.
	Workers int `json:"workers"`
}

// Step is one step of a journey.
type Step struct {
	// Text describes the action of the step and what must hold afterwards.
	Text string
	// Do runs the action and asserts its result.
	Do func(ctx context.Context, r *Run)
}

// Mismatch returns how a cluster differs from the initial cluster of a journey,
// or an empty string.
func (c InitialCluster) Mismatch(target env.Target) string {
	if target.Changer == nil {
		return "needs to change the components of the cluster, which is only possible in a cluster that the run created"
	}
	for _, r := range target.State {
		wanted, err := gates.Parse(c.Gates, r.Release)
		switch {
		case err != nil || r.Release.Minor != c.Release || !r.Gates.Equal(wanted):
			return fmt.Sprintf("starts with %s, but %s runs %s with gates %s", c, r.Instance, r.Release.Minor, r.Gates.Name())
		case r.Component == skew.Scheduler && r.Scheduler != c.Scheduler:
			return fmt.Sprintf("starts with %s, but the scheduler is %s", c, r.Scheduler)
		}
	}
	if target.Workers < c.Workers {
		return fmt.Sprintf("needs %d worker nodes, the cluster has %d", c.Workers, target.Workers)
	}
	return ""
}

// String returns a short description of the cluster.
func (c InitialCluster) String() string {
	return fmt.Sprintf("Kubernetes %s with gates %s and scheduler %s", c.Release, c.Gates, c.Scheduler)
}
