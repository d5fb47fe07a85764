// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
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
		{partition, exclusive, exclusive}, {simulated, simulated}, {simulated}, {shared},
	}))
	for _, s := range []suite.Spec{simulated, shared} {
		g.Expect(canRunInParallel(fakeSubject(), s)).To(BeTrue())
	}
	g.Expect(canRunInParallel(fakeSubject(), of(subject.KindShared, subject.KindPartition))).To(BeFalse(), "it would disturb the specs of both drivers")
}

// Otherwise, a process with two long specs would run when all others have ended.
func TestSharesTakeAboutTheSameTime(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, script(""))
	specs := independentSpecs("a", "b", "restarts-node", "c", "restarts-another", "d")[1:]
	for i := range specs {
		if strings.HasPrefix(specs[i].ID, "restarts-") {
			specs[i].Needs = append(specs[i].Needs, env.NeedsNodes)
		}
	}
	var shares [][]string
	for _, s := range r.divide(fakeSubject(), specs, 0) {
		shares = append(shares, ids(s.specs))
	}
	g.Expect(shares).To(Equal([][]string{
		{"restarts-node", "a", "c"}, {"restarts-another", "b", "d"},
	}))
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
