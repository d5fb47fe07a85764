// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

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
// variable input. Further lines answer the questions of workers that ask.
func script(text string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "sh", "-c", `IFS= read -r input; of() { case "$input" in *"\"$1\""*) return 0;; esac; return 1; }; `+text)
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
	return runToTheEnd(ctx, r, cl, shares)
}

// runToTheEnd runs shares and waits for their processes.
func runToTheEnd(ctx context.Context, r *runner, cl cluster, shares []share) (map[string]suite.Result, error) {
	results, ended := r.runShares(ctx, cl, shares)
	return results, ended()
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

// A process whose output is not understood may wait for an answer, or until its output
// is read, here when it is told to end.
func TestWorkersDoNotOutliveTheirOutput(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r := workersRunner(&bytes.Buffer{}, script(`trap 'printf "%100000s"; exit 0' TERM; echo nonsense; while :; do sleep 0.05; done`))
	_, err := runInWorkers(ctx, r, fakeCluster{}, fakeSubject(), independentSpecs("a", "b"))
	g.Expect(err).To(MatchError(ContainSubstring("read the results of a worker: ")))
	g.Expect(ctx.Err()).NotTo(HaveOccurred(), "the run ended by itself")
}
