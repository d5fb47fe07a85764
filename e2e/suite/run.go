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
	// Look finds out anew what journeys find on their way.
	Look func(ctx context.Context) (Situation, error)
	// SpecTimeout bounds one spec; a journey may take four times as long.
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

// journeyFactor is how many times longer a journey may take than a spec. Each of its waits is bounded, so that this is for none to
// go on for ever: a machine that is twice as slow as it should be must not fail the longest, which judge many specs on their way.
const journeyFactor = 4

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
