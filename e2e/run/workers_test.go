// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// fakeCluster is a cluster of which only the kubeconfig is used.
type fakeCluster struct{}

func (fakeCluster) create(context.Context) (*rest.Config, error)        { return nil, nil }
func (fakeCluster) logs(context.Context, string) error                  { return nil }
func (fakeCluster) remove(context.Context) error                        { return nil }
func (fakeCluster) nodes() operations.Nodes                             { return nil }
func (fakeCluster) controlPlane() operations.ControlPlane               { return nil }
func (fakeCluster) kindName() string                                    { return "" }
func (fakeCluster) another(context.Context) (*controlPlaneParts, error) { return nil, nil }
func (fakeCluster) changer() operations.Changer                         { return nil }
func (fakeCluster) watch(ctx context.Context) (context.Context, func() *suite.Ended) {
	return ctx, watchesNothing
}
func (fakeCluster) owned() bool                            { return true }
func (fakeCluster) kubeconfig() (path, contextName string) { return "/a/kubeconfig", "test" }
func (fakeCluster) describe(*report.Cluster)               {}
func (fakeCluster) cleanupHint() string                    { return "" }

// independentSpecs returns specs that can run in parallel, and one that cannot.
func independentSpecs(ids ...string) []suite.Spec {
	specs := []suite.Spec{{ID: "restarts-nodes", Needs: []env.Need{env.NeedsNodes}}}
	for _, id := range ids {
		specs = append(specs, suite.Spec{ID: id, Needs: []env.Need{env.NeedsSimulatedNodes}})
	}
	return specs
}

// script returns a shell process of a worker. It reads its input into the
// variable input.
func script(text string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "sh", "-c", `input=$(cat); of() { case "$input" in *"\"$1\""*) return 0;; esac; return 1; }; `+text)
	}
}

// passes reports that a spec passed, if the worker runs it.
func passes(id string) string {
	return fmt.Sprintf(`if of %s; then echo '{"id":%q,"outcome":"passed","duration":2000000000,"steps":[{"Text":"waiting"}]}'; fi; `, id, id)
}

func workersRunner(out *bytes.Buffer, worker func(context.Context) *exec.Cmd) *runner {
	return &runner{plan: &plan{Config: Config{Parallel: 2, Worker: worker, Progress: progress.New(out)}, id: "run-1", suffix: "1"}, total: 4}
}

// runInWorkers divides specs and runs them.
func runInWorkers(ctx context.Context, r *runner, cl cluster, of subject.Subject, specs []suite.Spec) (map[string]suite.Result, error) {
	shares, err := r.shares(ctx, cl, of, specs)
	if err != nil {
		return nil, err
	}
	return r.runShares(ctx, cl, shares)
}

func specsOf(shares []share) [][]suite.Spec {
	var all [][]suite.Spec
	for _, s := range shares {
		all = append(all, s.specs)
	}
	return all
}

func TestWorkersRunIndependentSpecsInParallel(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	r := workersRunner(&out, script(passes("a")+passes("b")+passes("c")))
	got, err := runInWorkers(t.Context(), r, fakeCluster{}, fakeSubject(), independentSpecs("a", "b", "c"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(HaveLen(3), "a serial spec is not run by a worker")
	for _, id := range []string{"a", "b", "c"} {
		g.Expect(got[id].Outcome).To(Equal(suite.Passed))
		g.Expect(got[id].Spec.ID).To(Equal(id))
		g.Expect(got[id].Duration).To(Equal(2 * time.Second))
		g.Expect(got[id].Steps).To(HaveLen(1))
	}
	g.Expect(out.String()).To(ContainSubstring("3 specs in 2 processes, up to 2 at a time"))
	g.Expect(out.String()).To(ContainSubstring("spec 3 of 4: "))
}

// What runs in a worker is shown, and when and where a spec failed is known.
func TestWorkersReportWhatRuns(t *testing.T) {
	g := NewWithT(t)
	failed := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := workersRunner(&bytes.Buffer{}, nil)
	p := &workers{runner: r, specs: independentSpecs("a", "b"), results: map[string]suite.Result{}, task: r.Progress.Task("specs")}
	p.record(workerResult{ID: "a", Begins: true})
	p.record(workerResult{ID: "b", Begins: true})
	g.Expect(r.Progress.State().Tasks[0].Parts).To(HaveExactElements(HaveField("Name", "a"), HaveField("Name", "b")))
	g.Expect(p.results).To(BeEmpty())
	p.record(workerResult{ID: "a", Outcome: suite.Failed, FailedAt: failed, Namespace: "mine"})
	g.Expect(r.Progress.State().Tasks[0].Parts).To(HaveExactElements(HaveField("Name", "b")))
	g.Expect(r.Progress.State().Tasks[0].Name).To(Equal("specs: 1 of 3 finished"))
	g.Expect(p.results["a"]).To(And(HaveField("FailedAt", failed), HaveField("Namespace", "mine")))
}

// The estimate is of the specs that can run. How long journeys take is not known.
func TestExpectVerdict(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out bytes.Buffer
	r := workersRunner(&out, nil)
	specs := independentSpecs("a", "b", "c")
	r.expectVerdict(append(specs, newJourneys("up")...), nil)
	g.Expect(out.String()).To(BeEmpty())
	r.expectVerdict(specs, []share{{specs: specs[:1]}, {specs: specs[1:2]}})
	g.Expect(out.String()).To(MatchRegexp(`^   about \d+ (s|min) until the verdict\n$`))
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

// The pods and claims of specs in different processes have the same names.
func TestWorkersHaveNamespacesOfTheirOwn(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, nil)
	g.Expect(r.guestConfig(subject.Subject{}).Namespace).To(Equal("draconform-1-specs"))
	r.worker = 3
	g.Expect(r.guestConfig(subject.Subject{}).Namespace).To(Equal("draconform-1-specs-p3"))
}

func TestWorkersDoNotStartAfterTheRunEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(context.Context) *exec.Cmd { t.Error("started a process"); return nil }
	_, err := runInWorkers(ctx, workersRunner(&bytes.Buffer{}, never), fakeCluster{}, fakeSubject(), independentSpecs("a", "b"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestWorkerInput(t *testing.T) {
	g := NewWithT(t)
	for _, want := range []string{`"kubeconfig":"/a/kubeconfig"`, `"context":"test"`, `"owned":true`, `"id":"run-1"`, `"suffix":"1"`} {
		check := fmt.Sprintf(`case "$input" in *'%s'*) ;; *) echo "not in the input: $input" >&2; exit 3;; esac; `, want)
		_, err := runInWorkers(t.Context(), workersRunner(&bytes.Buffer{}, script(check)), fakeCluster{}, fakeSubject(), independentSpecs("a", "b"))
		g.Expect(err).NotTo(HaveOccurred())
	}
}

// A run in a pod has no kubeconfig. Its workers find the cluster of the pod by
// themselves.
func TestWorkersInAPodUseItsCluster(t *testing.T) {
	g := NewWithT(t)
	check := `case "$input" in *'"kubeconfig":"","context":"","owned":false'*) ;; *) echo "not in the input: $input" >&2; exit 3;; esac; `
	r := workersRunner(&bytes.Buffer{}, script(check))
	inPod := existingCluster{runner: r, provider: &existing.Provider{}}
	_, err := runInWorkers(t.Context(), r, inPod, fakeSubject(), independentSpecs("a", "b"))
	g.Expect(err).NotTo(HaveOccurred())
	var described report.Cluster
	inPod.describe(&described)
	g.Expect(described.Name).To(Equal("in-cluster"))
	g.Expect(inPod.cleanupHint()).To(Equal("kept all objects of run run-1 in cluster in-cluster, delete them with: draconform clean --provider existing --run run-1"))
}

// What a run could not remove is found by the command that its last message has.
func TestRemovalThatFails(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, nil)
	r.Namespace, r.Kubeconfig = "team", "/a/kubeconfig"
	stuck := errors.New("delete namespace draconform-1-specs: forbidden")
	g.Expect(r.notRemoved(false, "prod", nil, stuck)).To(MatchError("delete namespace draconform-1-specs: forbidden\n" +
		`objects of the run may remain in the cluster: delete them with "draconform clean --provider existing --run run-1 --kubeconfig /a/kubeconfig --context prod --namespace team"`))
	g.Expect(r.notRemoved(false, "prod", nil, nil)).To(Succeed())
	g.Expect(r.notRemoved(true, "kind-run-1", stuck)).To(MatchError(stuck.Error()), "the cluster of the run is removed with it")
}

// A spec that no worker has run has not passed.
func TestMissingResultsHaveNoOutcome(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, script(passes("a")+`if of b; then echo "out of memory" >&2; exit 7; fi`))
	got, err := runInWorkers(t.Context(), r, fakeCluster{}, fakeSubject(), independentSpecs("a", "b"))
	g.Expect(err).To(MatchError(MatchRegexp(`^worker \d of the run: exit status 7: out of memory$`)))
	g.Expect(got["b"].Outcome).To(BeEmpty())
	g.Expect(got["b"].Reason).To(Equal("the process that should run it ended before"))

	r = workersRunner(&bytes.Buffer{}, script(`echo nonsense`))
	_, err = runInWorkers(t.Context(), r, fakeCluster{}, fakeSubject(), independentSpecs("a", "b"))
	g.Expect(err).To(MatchError(ContainSubstring("read the results of a worker: ")))
}

func TestSingleWorkerIsNotStarted(t *testing.T) {
	g := NewWithT(t)
	never := func(context.Context) *exec.Cmd { t.Error("started a process"); return nil }
	for name, r := range map[string]*runner{
		"one process":  workersRunner(&bytes.Buffer{}, never),
		"one spec":     workersRunner(&bytes.Buffer{}, never),
		"no processes": workersRunner(&bytes.Buffer{}, nil),
	} {
		specs := independentSpecs("a", "b")
		switch {
		case strings.HasPrefix(name, "one process"):
			r.Parallel = 1
		case name == "one spec":
			specs = independentSpecs("a")
		}
		got, err := runInWorkers(t.Context(), r, fakeCluster{}, fakeSubject(), specs)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got).To(BeEmpty(), name)
	}
}
