// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// run runs the specs with Ginkgo. Ginkgo's output goes to a file.
func (s *Suite) run(ctx context.Context) error {
	s.register(ctx)
	ginkgo.ReportAfterSuite("report", func(report ginkgo.Report) {
		report = s.forJUnit(report)
		report.SuiteSucceeded = report.SuiteSucceeded && EndedIn(ctx) == nil
		s.err = reporters.GenerateJUnitReportWithConfig(report, s.file("junit_%02d.xml"),
			reporters.JunitReportConfig{OmitSpecLabels: true, OmitLeafNodeType: true, OmitSuiteSetupNodes: true})
	})
	if err := s.runRegistered(); err != nil {
		return err
	}
	return s.incomplete(ctx)
}

// register defines the specs, and receives their reports.
func (s *Suite) register(ctx context.Context) {
	// Without Ordered, Ginkgo sorts specs by their names. Specs do not depend
	// on each other, so the others continue after a failure.
	ginkgo.Describe("draconform", ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		for _, spec := range s.options.Specs {
			if !s.byWorkers[spec.ID] {
				ginkgo.Context(spec.Profile, ginkgo.Label(spec.Labels()...), func() { s.define(ctx, spec) })
			}
		}
		ginkgo.ReportAfterEach(func(report ginkgo.SpecReport) { s.record(ctx, report) })
	})
}

// runRegistered runs all registered specs.
func (s *Suite) runRegistered() error {
	gomega.SetDefaultEventuallyPollingInterval(env.PollInterval)
	gomega.SetDefaultConsistentlyPollingInterval(env.PollInterval)
	log, err := os.Create(s.file("ginkgo_%02d.log"))
	if err != nil {
		return fmt.Errorf("create Ginkgo's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	stdout := formatter.ColorableStdOut
	formatter.ColorableStdOut = log
	defer func() { formatter.ColorableStdOut = stdout }()
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	reporterConfig.NoColor, reporterConfig.Verbose = true, true
	var t failed
	ginkgo.RunSpecs(&t, "draconform", suiteConfig, reporterConfig)
	return nil
}

// incomplete returns why the run could not be completed.
func (s *Suite) incomplete(ctx context.Context) error {
	if ctx.Err() != nil {
		return errors.Join(s.err, context.Cause(ctx))
	}
	return errors.Join(s.err, s.lost, s.signalled)
}

// forJUnit returns a report for the file that CI systems read. It agrees with the results, and
// has no specs that other processes run.
func (s *Suite) forJUnit(report ginkgo.Report) ginkgo.Report {
	report.SpecReports = slices.DeleteFunc(slices.Clone(report.SpecReports), func(r ginkgo.SpecReport) bool { return s.elsewhere[r.LeafNodeText] })
	report.SuiteSucceeded = true
	for i := range report.SpecReports {
		r := &report.SpecReports[i]
		s.correct(r)
		report.SuiteSucceeded = report.SuiteSucceeded && !r.State.Is(types.SpecStateFailureStates)
	}
	return report
}

// correct changes the report of a spec. A spec that the end of a component has cut short has
// the same reason as in the results. A provisional spec that failed is skipped, because CI
// systems fail a job if a test case failed.
func (s *Suite) correct(r *ginkgo.SpecReport) {
	result := s.results[r.LeafNodeText]
	if state, ok := s.cut[r.LeafNodeText]; ok {
		r.State, r.Failure.Message, r.Failure.ForwardedPanic = state, result.Reason, ""
	}
	if r.State.Is(types.SpecStateFailureStates) && result.Spec.Level == Provisional {
		r.Failure.Message = "provisional, without effect on the verdict: " + r.State.String() + ": " + result.Reason
		r.State = types.SpecStateSkipped
	}
}

// file returns the path of a file in the folder of the run. name is a format
// for the number of the process.
func (s *Suite) file(name string) string {
	return filepath.Join(s.options.Dir, fmt.Sprintf(name, s.options.Process))
}

// failed implements the interface that Ginkgo requires of a test. Its value is
// unused, because the results have more details.
type failed bool

func (f *failed) Fail() { *f = true }

// record stores the outcome of a spec that Ginkgo reports. A failure after an
// interruption of the run may be due to the interruption, so it counts as
// skipped. If the run ends because a component of the control plane has ended, the
// reason is that.
func (s *Suite) record(run context.Context, report ginkgo.SpecReport) {
	id := report.LeafNodeText
	result, ok := s.results[id]
	if !ok || result.Outcome != "" || s.elsewhere[id] {
		return
	}
	if x := s.executions[id]; x != nil {
		result.JourneySteps = x.Results
	}
	known, isDecided := s.decided[id]
	if isDecided || !report.State.Is(types.SpecStateSkipped) {
		result.Started, result.Duration, result.Steps = report.StartTime, report.RunTime, steps(report)
	}
	if report.State.Is(types.SpecStateInterrupted) {
		awaitEnd(run) // Ginkgo may have the signal before the context of the run ends.
	}
	ended := EndedIn(run)
	cut, state, isCut := ended.cut(report)
	switch {
	case isDecided && report.State.Is(types.SpecStateSkipped):
		result.Outcome, result.Reason = known.Outcome, known.Reason
	case isCut:
		s.cut[id] = state
		result.Outcome, result.Reason, result.FailedAt = cut.Outcome, cut.Reason, cut.FailedAt
		if cut.Outcome == Failed {
			result.Namespace = s.namespace
		}
	case report.State.Is(types.SpecStatePassed):
		result.Outcome = Passed
	case report.State.Is(types.SpecStateInterrupted):
		s.signalled = errors.New("the run was interrupted by a signal")
		result.Outcome, result.Reason = Skipped, "not finished, because the run was interrupted: "+reason(report)
	case report.State.Is(types.SpecStateSkipped):
		result.Outcome, result.Reason = Skipped, "not run, because an earlier spec failed or the run was interrupted"
	case run.Err() != nil && ended == nil:
		result.Outcome, result.Reason = Skipped, "not finished, because the run was interrupted: "+reason(report)
	default:
		result.Outcome, result.Reason = Failed, reason(report)
		result.FailedAt, result.Namespace = report.Failure.TimelineLocation.Time, s.namespace
	}
	s.results[id] = result
	s.failed = s.failed || result.Fails()
	if s.options.Finished != nil && (result.Outcome != Skipped || isDecided || report.State.Is(types.SpecStateFailureStates)) {
		s.options.Finished(result, s.n, s.total)
	}
}
