package specs_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// IDs of specs that the tables use.
const (
	mix     = "partition-mix-fits-one-parent"
	release = "partition-release-returns-counters"
	whole   = "partition-excludes-whole"

	takesFirst             = "prioritized-list-takes-first"
	fallsBack              = "prioritized-list-falls-back"
	countsEach             = "prioritized-list-counts-each-alternative"
	constraintByRequest    = "prioritized-list-constraint-by-request"
	constraintBySubrequest = "prioritized-list-constraint-by-subrequest"
	earlierDecides         = "prioritized-list-earlier-request-decides"
	configuresTaken        = "prioritized-list-configures-what-was-taken"
	configuresByClass      = "prioritized-list-configures-by-class-taken"
	waitsUntilOneFits      = "prioritized-list-waits-until-one-fits"

	released       = "exclusive-is-prepared-and-released"
	driverRestart  = "exclusive-survives-driver-restart"
	driverUpdate   = "exclusive-survives-driver-update"
	kubeletRestart = "exclusive-survives-kubelet-restart"
	nodeRestart    = "exclusive-survives-node-restart"
)

// mistake is a cluster with a fault, and a spec that must detect it.
type mistake struct {
	cluster fakecluster.Options
	// there, if set, changes the suite's information about the cluster.
	there func(*env.Target)
	// spec is the ID of the spec to run.
	spec string
	// want are parts of the reason: what was expected, and what was observed.
	want []string
}

// wrong are all clusters with faults, by name.
var wrong = together(wrongWithDevices, wrongWithAlternatives, wrongPartitioning, wrongMultiHost, wrongPrioritizedList, wrongAffinity, wrongLocks, wrongCapacity, wrongContract, wrongDrivers, wrongWithWholeDevices)

func together(tables ...map[string]mistake) map[string]mistake {
	all := map[string]mistake{}
	for _, table := range tables {
		for name, m := range table {
			if _, ok := all[name]; ok {
				panic("two wrong clusters are called " + name)
			}
			all[name] = m
		}
	}
	return all
}

func (m mistake) suiteCase() suiterun.Case {
	return suiterun.Case{Cluster: m.cluster, Change: func(ctx context.Context, c *suite.Options) context.Context {
		ctx = allSpecs(ctx, c)
		if m.there != nil {
			m.there(&c.Target)
		}
		c.Selection.Focus = "^" + regexp.QuoteMeta(m.spec) + "$"
		// The specs wait for what never happens, so the timeouts are short.
		c.Timeouts.PodStart, c.Timeouts.Unschedulable, c.Timeouts.Deletion, c.Timeouts.Recovery = 2*time.Second, 2*time.Second, 2*time.Second, 6*time.Second
		return ctx
	}}
}

func TestWrongClustersFail(t *testing.T) {
	for name, m := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			outcome := suiterun.Run(t, name)
			g.Expect(outcome.Err).To(BeEmpty(), "a failed spec is no error of the run")
			got := outcome.Of(m.spec)
			g.Expect(got.Outcome).To(Equal(suite.Failed))
			for _, part := range m.want {
				g.Expect(got.Reason).To(ContainSubstring(part))
			}
		})
	}
}
