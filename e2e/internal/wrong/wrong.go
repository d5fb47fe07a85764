// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrong asserts that specs fail in clusters with faults. Each profile has a
// table of such clusters.
package wrong

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// Cluster is a cluster with a fault, and a spec that must detect it.
type Cluster struct {
	// Options are the options of the fake cluster, with the fault.
	Options fakecluster.Options
	// Target, if set, changes the suite's information about the cluster.
	Target func(*env.Target)
	// Spec is the ID of the spec to run.
	Spec string
	// Outcome is the outcome of the spec. Default: failed.
	Outcome suite.Outcome
	// Want are parts of the reason of the outcome: what was expected, and what
	// was observed.
	Want []string
}

// Table contains clusters by name.
type Table map[string]Cluster

// Join returns a table with the clusters of several tables.
func Join(tables ...Table) Table {
	all := Table{}
	for _, table := range tables {
		for name, c := range table {
			if _, ok := all[name]; ok {
				panic(fmt.Sprintf("two wrong clusters have the name %q", name))
			}
			all[name] = c
		}
	}
	return all
}

// Case returns the run of the cluster's spec, which is one of the given specs.
func (c Cluster) Case(specs []suite.Spec) suiterun.Case {
	return suiterun.Case{Cluster: c.Options, Change: func(ctx context.Context, o *suite.Options) context.Context {
		o.Specs = specs
		if c.Target != nil {
			c.Target(&o.Target)
		}
		o.Selection.Focus = "^" + regexp.QuoteMeta(c.Spec) + "$"
		// The specs wait for what never happens, and each poll takes a while, so the
		// timeouts are short.
		o.Timeouts.PodStart, o.Timeouts.Unschedulable, o.Timeouts.Response, o.Timeouts.Deletion, o.Timeouts.Recovery = 3*time.Second, 2*time.Second, 2*time.Second, 2*time.Second, 6*time.Second
		// Longer than the interval at which kubelets are triggered.
		o.Timeouts.KubeletRetries = 8 * time.Second
		return ctx
	}}
}

// Test asserts that the spec of each cluster fails, or has another outcome, for
// the expected reason. The cases of package suiterun have the names of the clusters
// with a prefix.
func Test(t *testing.T, prefix string, table Table) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		names = append(names, prefix+name)
	}
	for _, batch := range suiterun.Batches(names) {
		for _, name := range batch.Names {
			c := table[strings.TrimPrefix(name, prefix)]
			t.Run(strings.TrimPrefix(name, prefix), func(t *testing.T) {
				t.Parallel()
				c.expectDetected(t, batch.Outcome(t, name))
			})
		}
	}
}

// expectDetected asserts that the spec of a cluster has its outcome for the expected
// reason.
func (c Cluster) expectDetected(t *testing.T, outcome suiterun.Outcome) {
	t.Helper()
	g := NewWithT(t)
	g.Expect(outcome.Err).To(BeEmpty(), "a failed spec is no error of the run")
	got := outcome.Of(c.Spec)
	g.Expect(got.Outcome).To(Equal(cmp.Or(c.Outcome, suite.Failed)), got.Reason)
	for _, part := range c.Want {
		g.Expect(got.Reason).To(ContainSubstring(part))
	}
}

// TestCoverage asserts that a table has a cluster for each of the specs, and
// clusters for no other specs. Specs that differ only in the kind of their
// device have the same body, so a cluster for one of them is sufficient.
func TestCoverage(t *testing.T, table Table, specs []suite.Spec) {
	g := NewWithT(t)
	withoutKind := map[string]string{}
	for _, s := range specs {
		withoutKind[s.ID] = s.ID
		if len(s.Kinds) == 1 {
			withoutKind[s.ID] = strings.TrimPrefix(s.ID, string(s.Kinds[0])+"-")
		}
	}
	covered := map[string]bool{}
	for name, c := range table {
		g.Expect(withoutKind).To(HaveKey(c.Spec), "wrong cluster %q should be for a spec of this profile", name)
		covered[withoutKind[c.Spec]] = true
	}
	for id, behaviour := range withoutKind {
		g.Expect(covered).To(HaveKey(behaviour), "the table should have a wrong cluster that spec %s detects", id)
	}
}
