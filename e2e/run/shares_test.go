// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"os/exec"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

func specsOf(shares []share) [][]suite.Spec {
	var all [][]suite.Spec
	for _, s := range shares {
		all = append(all, s.specs)
	}
	return all
}

// Each of these specs may stop the driver, so that none may run in parallel
// with the others.
func TestSpecsOfOneDriverRunInOneProcess(t *testing.T) {
	g := NewWithT(t)
	of := func(kinds ...subject.Kind) suite.Spec {
		return suite.Spec{Kinds: kinds, Needs: []env.Need{env.NeedsDriverCalls}}
	}
	simulated := suite.Spec{Needs: []env.Need{env.NeedsSimulatedNodes}}
	partition, exclusive, shared := of(subject.KindPartition), of(subject.KindExclusive), of(subject.KindShared)
	r := workersRunner(&bytes.Buffer{}, script(""))
	g.Expect(specsOf(r.divide(fakeSubject(), []suite.Spec{simulated, shared, partition, simulated, exclusive, simulated, exclusive}, 0))).To(Equal([][]suite.Spec{
		{partition, exclusive, exclusive}, {shared}, {simulated, simulated, simulated}, {simulated, simulated, simulated},
	}))
	for _, s := range []suite.Spec{simulated, shared} {
		g.Expect(canRunInParallel(fakeSubject(), s)).To(BeTrue())
	}
	g.Expect(canRunInParallel(fakeSubject(), of(subject.KindShared, subject.KindPartition))).To(BeFalse(), "it would disturb the specs of both drivers")
}

// How long specs take differs from run to run. Specs that were divided before would leave
// some processes without work while others have several left.
func TestProcessesTakeSpecsFromOneQueue(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, script(""))
	specs := independentSpecs("a", "restarts-node", "b")[1:]
	specs[1].Needs = append(specs[1].Needs, env.NeedsNodes)
	shares := r.divide(fakeSubject(), specs, 0)
	g.Expect(shares).To(HaveLen(2))
	for _, s := range shares {
		g.Expect(ids(s.specs)).To(Equal([]string{"restarts-node", "a", "b"}), "the longest first")
		g.Expect(s.queue).To(BeIdenticalTo(shares[0].queue))
	}
	g.Expect(shares[0].queue.take(2, "a")).To(BeTrue())
	g.Expect(shares[1].queue.take(3, "a")).To(BeFalse())
	g.Expect(shares[1].queue.take(3, "b")).To(BeTrue(), "they do not depend on each other")
}

// A driver of a driver file may have only one device, and a given namespace
// only one set of names.
func TestSpecsOfDriverFilesRunInOneProcessPerDriver(t *testing.T) {
	g := NewWithT(t)
	of := subject.Fakes{MIG: "gpus.example.com", NIC: "nics.example.org"}.Subject()
	exclusive, shared := suite.Spec{ID: "a", Kinds: []subject.Kind{subject.KindExclusive}}, suite.Spec{ID: "b", Kinds: []subject.Kind{subject.KindShared}}
	r := workersRunner(&bytes.Buffer{}, script(""))
	g.Expect(specsOf(r.divide(of, []suite.Spec{exclusive, shared, exclusive}, 0))).To(Equal([][]suite.Spec{{exclusive, exclusive}, {shared}}))
	r.Namespace = "given"
	g.Expect(r.divide(of, []suite.Spec{exclusive, shared, exclusive}, 0)).To(BeEmpty())
}

func TestSingleWorkerIsNotStarted(t *testing.T) {
	never := func(context.Context) *exec.Cmd { t.Error("started a process"); return nil }
	ofDriver := suite.Spec{ID: "c", Kinds: []subject.Kind{subject.KindShared}, Needs: []env.Need{env.NeedsDriverCalls}}
	for name, test := range map[string]struct {
		parallel int
		worker   func(context.Context) *exec.Cmd
		specs    []suite.Spec
	}{
		"one process":  {1, never, append(independentSpecs("a", "b"), ofDriver)},
		"one spec":     {2, never, independentSpecs("a")},
		"no processes": {2, nil, independentSpecs("a", "b")},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := workersRunner(&bytes.Buffer{}, test.worker)
			r.Parallel = test.parallel
			got, err := runInWorkers(t.Context(), r, fakeCluster{}, fakeSubject(), test.specs)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(BeEmpty())
		})
	}
}
