package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Config is what a run of specs needs.
type Config struct {
	Specs     []Spec
	Selection Selection
	// Client reaches the cluster.
	Client kubernetes.Interface
	Situation
	// Workload is the reference of the workload image.
	Workload string
	// Scheduler is the name of the scheduler of all pods. Empty means the
	// cluster's default one.
	Scheduler string
	// Labels are on every object that specs create.
	Labels map[string]string
	// Namespace is the first part of the specs' namespaces.
	Namespace string
	Timeouts  Timeouts
	// SpecTimeout bounds one spec; a journey may take twice as long.
	SpecTimeout time.Duration
	// FailFast ends the run with the first failure.
	FailFast bool
	// Process counts, from 1, the processes that run a part of the specs each.
	// Zero means 1.
	Process int
	// Elsewhere are the results of specs that another process has run.
	Elsewhere map[string]Result
	// Dir receives junit_01.xml and ginkgo_01.log, with the number of the
	// process, and a folder for each failed spec below artifacts.
	Dir string
	// Started and Finished, if set, are called around each spec that runs;
	// n counts from 1 to total.
	Started  func(s Spec, n, total int)
	Finished func(r Result, n, total int)
}

// Ended reports whether a spec that ran elsewhere has ended the run by failing.
func (c Config) Ended() bool {
	for _, r := range c.Elsewhere {
		if c.FailFast && r.Outcome == Failed {
			return true
		}
	}
	return false
}

// journeyFactor is how many times longer a journey may take than a spec.
const journeyFactor = 2

// pollInterval is how often specs look at the cluster while they wait.
const pollInterval = 200 * time.Millisecond

// Run runs the selected specs, one after the other, and returns the outcome of
// all of them, in their order. It can be called once in a process, as Ginkgo's
// specs are global. The error is about the run itself, not about a verdict; if
// the run was interrupted, there are results beside it.
func Run(ctx context.Context, c Config) ([]Result, error) {
	if err := Check(c.Specs); err != nil {
		return nil, err
	}
	chosen, err := c.Selection.choose(c.Specs)
	if err != nil {
		return nil, err
	}
	c.Process = max(c.Process, 1)
	r := &runner{config: c, results: maps.Clone(c.Elsewhere), travellers: map[string]*traveller{}}
	if r.results == nil {
		r.results = map[string]Result{}
	}
	for _, s := range c.Specs {
		if _, ok := c.Elsewhere[s.ID]; ok {
			continue
		}
		outcome, why := s.unfit(c.Situation)
		switch {
		case c.Ended() && outcome == "" && chosen[s.ID]:
			outcome, why = Skipped, "not run, because an earlier spec failed"
		case !chosen[s.ID]:
			outcome, why = Skipped, "left out by the selection "+c.Selection.String()
		case outcome == "":
			r.total++
		}
		r.results[s.ID] = Result{Spec: s, Outcome: outcome, Reason: why}
	}
	err = errors.Join(r.run(ctx), namespacesGone(context.WithoutCancel(ctx), c.Client, r.namespaces, c.Timeouts.Gone))
	var all []Result
	for _, s := range c.Specs {
		all = append(all, r.results[s.ID])
	}
	return all, err
}

// runner is one run.
type runner struct {
	config  Config
	results map[string]Result
	n       int // how many specs have started
	total   int
	err     error
	// namespaces are those of specs that left nothing in them.
	namespaces []string
	// travellers run the journeys of specs.
	travellers map[string]*traveller
	// signalled is set if Ginkgo, which listens to signals itself, ended the run.
	signalled error
}

// run hands the specs to Ginkgo. Its own output goes to a file.
func (r *runner) run(ctx context.Context) error {
	gomega.RegisterFailHandler(ginkgo.Fail)
	gomega.SetDefaultEventuallyPollingInterval(pollInterval)
	gomega.SetDefaultConsistentlyPollingInterval(pollInterval)
	// Without Ordered, Ginkgo sorts specs by their names. They do not depend on
	// each other, so that one that failed keeps no other from running.
	ginkgo.Describe("draconform", ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		for _, s := range r.config.Specs {
			if _, ok := r.config.Elsewhere[s.ID]; ok {
				continue
			}
			ginkgo.Context(s.Profile, ginkgo.Label(s.Labels()...), func() { r.define(ctx, s) })
		}
	})
	ginkgo.ReportAfterEach(func(report ginkgo.SpecReport) { r.record(report, ctx.Err() != nil) })
	ginkgo.ReportAfterSuite("report", func(report ginkgo.Report) {
		r.err = reporters.GenerateJUnitReportWithConfig(report, r.file("junit_%02d.xml"),
			reporters.JunitReportConfig{OmitSpecLabels: true, OmitLeafNodeType: true, OmitSuiteSetupNodes: true})
	})
	log, err := os.Create(r.file("ginkgo_%02d.log"))
	if err != nil {
		return fmt.Errorf("keep Ginkgo's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	stdout := formatter.ColorableStdOut
	formatter.ColorableStdOut = log
	defer func() { formatter.ColorableStdOut = stdout }()
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.FailFast = r.config.FailFast
	reporterConfig.NoColor, reporterConfig.Verbose = true, true
	var t failed
	ginkgo.RunSpecs(&t, "draconform", suiteConfig, reporterConfig)
	if ctx.Err() != nil {
		return errors.Join(r.err, context.Cause(ctx))
	}
	return errors.Join(r.err, r.signalled)
}

// file is the path of a file of this process.
func (r *runner) file(name string) string {
	return filepath.Join(r.config.Dir, fmt.Sprintf(name, r.config.Process))
}

// failed is what Ginkgo wants of a test; the outcomes say more.
type failed bool

func (f *failed) Fail() { *f = true }

// define makes a spec known to Ginkgo.
func (r *runner) define(ctx context.Context, s Spec) {
	ginkgo.It(s.ID, func(specCtx ginkgo.SpecContext) {
		if known := r.results[s.ID]; known.Outcome != "" {
			ginkgo.Skip(string(known.Outcome) + ": " + known.Reason)
		}
		if ctx.Err() != nil {
			ginkgo.Skip("the run was interrupted")
		}
		r.n++
		if r.config.Started != nil {
			r.config.Started(s, r.n, r.total)
		}
		// The run's end is the spec's end too.
		bodyCtx, stop := endsWith(specCtx, ctx)
		defer stop()
		e, err := r.setUp(bodyCtx, s)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "a spec needs a namespace")
		r.body(s)(bodyCtx, e)
	}, ginkgo.SpecTimeout(r.timeout(s)), ginkgo.GracePeriod(10*time.Second))
}

// body is what a spec does.
func (r *runner) body(s Spec) func(context.Context, *Env) {
	if s.Journey == nil {
		return s.Body
	}
	t := newTraveller(s.Journey, r.config.Changer)
	r.travellers[s.ID] = t
	return t.body
}

func (r *runner) timeout(s Spec) time.Duration {
	if s.Journey != nil {
		return journeyFactor * r.config.SpecTimeout
	}
	return r.config.SpecTimeout
}

// setUp creates the spec's namespace and sees to its end: what a failed spec
// left is kept, then all of it is removed, and what holds devices is waited for.
func (r *runner) setUp(ctx context.Context, s Spec) (*Env, error) {
	c := r.config
	e := &Env{
		Client: c.Client, Namespace: fmt.Sprintf("%s-%d", c.Namespace, r.n), Subject: c.Subject, Timeouts: c.Timeouts,
		nodes: c.Nodes, controlPlane: c.ControlPlane, drivers: c.Drivers, changer: c.Changer, workload: c.Workload, scheduler: c.Scheduler, labels: maps.Clone(c.Labels),
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace, Labels: map[string]string{}}}
	maps.Copy(namespace.Labels, c.Labels)
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	if _, err := c.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("create namespace %s: %w", e.Namespace, err)
	}
	watched := e.watch(ctx, c.Situation)
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		alarms := watched.end(ctx)
		failed := ginkgo.CurrentSpecReport().Failed() || len(alarms) > 0
		if failed {
			e.keep(ctx, s, c.Dir)
		}
		err := e.tearDown(ctx)
		if err != nil && !failed {
			e.keep(ctx, s, c.Dir)
		}
		gomega.Expect(alarms).To(gomega.BeEmpty(), "nothing in the cluster should break a promise while the spec runs")
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "all that a spec created should disappear when it is deleted")
		r.namespaces = append(r.namespaces, e.Namespace)
	}, ginkgo.NodeTimeout(2*c.Timeouts.Gone))
	return e, e.serviceAccount(ctx)
}

// record takes a spec's outcome from Ginkgo. What failed when the run had been
// interrupted may have failed because of that, so nobody is to blame for it.
func (r *runner) record(report ginkgo.SpecReport, interrupted bool) {
	id := report.LeafNodeText
	result, ok := r.results[id]
	if !ok || result.Outcome != "" {
		return
	}
	result.Started, result.Duration, result.Steps = report.StartTime, report.RunTime, steps(report)
	if t := r.travellers[id]; t != nil {
		result.Stops = t.results
	}
	switch {
	case report.State.Is(types.SpecStatePassed):
		result.Outcome = Passed
	case report.State.Is(types.SpecStateInterrupted):
		r.signalled = errors.New("the run was interrupted by a signal")
		result.Outcome, result.Reason = Skipped, "not finished, because the run was interrupted: "+reason(report)
	case report.State.Is(types.SpecStateSkipped):
		result.Outcome, result.Reason = Skipped, "not run, because an earlier spec failed or the run was interrupted"
	case interrupted:
		result.Outcome, result.Reason = Skipped, "not finished, because the run was interrupted: "+reason(report)
	default:
		result.Outcome, result.Reason = Failed, reason(report)
	}
	r.results[id] = result
	if r.config.Finished != nil && (result.Outcome != Skipped || report.State.Is(types.SpecStateFailureStates)) {
		r.config.Finished(result, r.n, r.total)
	}
}

// endsWith is ctx, which ends with other too. Its resources are freed by stop.
func endsWith(ctx, other context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	undo := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { undo(); cancel(nil) }
}
