// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
)

// oneEach returns a share for each spec.
func oneEach(ids ...string) []share {
	var shares []share
	for _, s := range independentSpecs(ids...)[1:] {
		shares = append(shares, share{specs: []suite.Spec{s}})
	}
	return shares
}

func TestWorkersFailFast(t *testing.T) {
	g := NewWithT(t)
	ready := filepath.Join(t.TempDir(), "ready")
	fails := `if of a; then until [ -e ` + ready + ` ]; do sleep 0.01; done; echo '{"id":"a","outcome":"failed","reason":"it does not"}'; exit 0; fi; `
	waits := `trap 'echo "{\"id\":\"b\",\"outcome\":\"skipped\"}"; exit 0' TERM; touch ` + ready + `; while :; do sleep 0.05; done`
	r := workersRunner(&bytes.Buffer{}, script(fails+waits))
	r.FailFast = true
	got, err := runToTheEnd(t.Context(), r, fakeCluster{}, oneEach("a", "b"))
	g.Expect(got["a"].Outcome).To(Equal(suite.Failed))
	g.Expect(got["b"].Outcome).To(Equal(suite.Skipped), "the worker was terminated, and the run waited for it")
	g.Expect(err).NotTo(HaveOccurred(), "a terminated worker is no error")
}

// A provisional spec that fails does not end the others.
func TestWorkersFailFastIgnoresProvisionalSpecs(t *testing.T) {
	g := NewWithT(t)
	fails := `if of a; then echo '{"id":"a","outcome":"failed","reason":"it does not"}'; exit 0; fi; `
	r := workersRunner(&bytes.Buffer{}, script(fails+`sleep 0.5; echo '{"id":"b","outcome":"passed"}'`))
	r.FailFast = true
	shares := oneEach("a", "b")
	shares[0].specs[0].Level = suite.Provisional
	got, err := runToTheEnd(t.Context(), r, fakeCluster{}, shares)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got["a"].Outcome).To(Equal(suite.Failed))
	g.Expect(got["b"].Outcome).To(Equal(suite.Passed))
}

// lingers makes the process of a spec wait for a file after it has judged the spec.
func lingers(id, file string) string {
	return passes(id) + `if of ` + id + `; then tries=0; until [ -e ` + file + ` ]; do tries=$((tries+1)); [ $tries -lt 1000 ] || exit 9; sleep 0.01; done; fi; `
}

// A process that has judged its specs may need longer for what it created than the specs
// took. Specs that follow these start nevertheless, even if only one process may run
// specs at a time. With driver files, specs that use all devices of a driver come last:
// what their process does to the driver afterwards would disturb others.
func TestSpecsDoNotWaitForTheCleanupOfOthers(t *testing.T) {
	specs := independentSpecs("a", "b")[1:]
	for name, test := range map[string]struct {
		described []*driverfile.Driver
		shares    []share
	}{
		"fake drivers": {nil, []share{{driver: "d", specs: specs[:1]}, {node: "n", specs: specs[1:]}}},
		"driver files": {[]*driverfile.Driver{{Name: "d"}}, []share{{driver: "d", specs: specs[1:]}, {node: "n", specs: specs[:1]}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			first, next := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "next")
			r := workersRunner(&bytes.Buffer{}, script(`if of a; then touch `+first+`; fi; `+lingers("a", next)+`if of b; then touch `+next+`; [ -e `+first+` ] || exit 8; fi; `+passes("b")))
			r.Parallel, r.described = 1, test.described
			got, err := runToTheEnd(t.Context(), r, fakeCluster{}, test.shares)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got["a"].Outcome).To(Equal(suite.Passed))
			g.Expect(got["b"].Outcome).To(Equal(suite.Passed))
		})
	}
}

// The run removes what it created at the same time as its workers.
func TestResultsDoNotWaitForTheCleanupOfWorkers(t *testing.T) {
	g := NewWithT(t)
	judged := filepath.Join(t.TempDir(), "judged")
	r := workersRunner(&bytes.Buffer{}, script(lingers("a", judged)+passes("b")+`if of a; then echo stuck >&2; exit 5; fi`))
	got, ended := r.runShares(t.Context(), fakeCluster{}, oneEach("a", "b"))
	g.Expect(got["a"].Outcome).To(Equal(suite.Passed))
	g.Expect(got["b"].Outcome).To(Equal(suite.Passed))
	g.Expect(os.WriteFile(judged, nil, 0o600)).To(Succeed())
	g.Expect(ended()).To(MatchError("worker 2 of the run: exit status 5: stuck"))
}

// The reason is written even if a worker was told to end before, for another one.
func TestWorkersLearnWhyTheRunEndsAfterOneHasFailed(t *testing.T) {
	g := NewWithT(t)
	dir, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	garbled := `if of a; then trap 'touch ` + gone + `; exit 0' TERM; echo no-json; while :; do sleep 0.05; done; fi; `
	waits := `trap '[ -e ` + filepath.Join(dir, endedFile) + ` ] && echo "{\"id\":\"b\",\"outcome\":\"skipped\",\"reason\":\"told\"}"; exit 0' TERM; while :; do sleep 0.05; done`
	r := workersRunner(&bytes.Buffer{}, script(garbled+waits))
	r.dir = dir
	ctx, end := context.WithCancelCause(t.Context())
	defer end(nil)
	var ending sync.WaitGroup
	defer ending.Wait()
	ending.Go(func() {
		g.Eventually(gone).WithTimeout(lots).Should(BeARegularFile())
		end(&suite.Ended{Component: "kube-scheduler", Result: "exit status 2"})
	})
	shares := oneEach("a", "b")
	shares[0].driver = "d"
	got, _ := runToTheEnd(ctx, r, fakeCluster{}, shares)
	g.Expect(got["b"].Reason).To(Equal("told"))
	g.Expect(os.ReadDir(dir)).To(BeEmpty())
}
