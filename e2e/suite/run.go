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

// Config configures a run of specs.
type Config struct {
	Specs     []Spec
	Selection Selection
	// Client is the client of the cluster.
	Client kubernetes.Interface
	Situation
	// Workload is the reference of the workload image.
	Workload string
	// Scheduler is the name of the scheduler of all pods. Empty means the
	// cluster's default scheduler.
	Scheduler string
	// Labels are set on every object that specs create.
	Labels map[string]string
	// Namespace is the prefix of the specs' namespaces.
	Namespace string
	Timeouts  Timeouts
	// Look detects the current state of the cluster. Journeys call it after
	// their changes.
	Look func(ctx context.Context) (Situation, error)
	// SpecTimeout is the timeout of one spec. The timeout of a journey is four
	// times as long.
	SpecTimeout time.Duration
	// FailFast ends the run after the first failure.
	FailFast bool
	// Process is the number of this process, from 1, if several processes run a
	// part of the specs each. Zero means 1.
	Process int
	// Elsewhere has the results of the specs that another process has run, by
	// ID.
	Elsewhere map[string]Result
	// Dir is the folder for junit_01.xml and ginkgo_01.log, with the number of
	// the process. Its folder artifacts gets a folder for each failed spec.
	Dir string
	// Started and Finished, if set, are called before and after each spec that
	// runs. n counts from 1 to total.
	Started  func(s Spec, n, total int)
	Finished func(r Result, n, total int)
}

// Ended reports whether a failed spec in Elsewhere has ended the run.
func (c Config) Ended() bool {
	for _, r := range c.Elsewhere {
		if c.FailFast && r.Outcome == Failed {
			return true
		}
	}
	return false
}

// journeyFactor is the ratio of the timeouts of a journey and a spec. Each wait of a journey has its own limit, so this
// timeout only guarantees that the run ends. It is generous because a slow machine must not fail the longest journeys,
// which run many specs.
const journeyFactor = 4

// pollInterval is how often specs poll the cluster.
const pollInterval = 200 * time.Millisecond

// Run runs the selected specs, one after the other, and returns the results of
// all specs in their order. It can be called only once in a process, because
// Ginkgo's specs are global. The error concerns the run itself; failed specs
// are no error. If the run was interrupted, Run returns results in addition to
// the error.
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
	n       int // number of started specs
	total   int
	err     error
	// namespaces are the namespaces of specs that were cleaned up. They are
	// awaited at the end of the run.
	namespaces []string
	// travellers run the journeys, by the ID of their spec.
	travellers map[string]*traveller
	// signalled is the error if Ginkgo, which handles signals itself, ended the
	// run.
	signalled error
}

// run runs the specs with Ginkgo, whose output goes to a file.
func (r *runner) run(ctx context.Context) error {
	gomega.RegisterFailHandler(ginkgo.Fail)
	gomega.SetDefaultEventuallyPollingInterval(pollInterval)
	gomega.SetDefaultConsistentlyPollingInterval(pollInterval)
	// Without Ordered, Ginkgo sorts specs by their names. Specs do not depend
	// on each other, so the others continue after a failure.
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

// file returns the path of a file of this process.
func (r *runner) file(name string) string {
	return filepath.Join(r.config.Dir, fmt.Sprintf(name, r.config.Process))
}

// failed implements the interface that Ginkgo needs of a test. Its value is
// unused, because the results have more details.
type failed bool

func (f *failed) Fail() { *f = true }

// record stores the outcome of a spec that Ginkgo reports. A failure after an
// interruption of the run may be due to the interruption, so it counts as
// skipped.
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
