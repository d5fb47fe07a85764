// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/live"
	"github.com/draconform/draconform/e2e/suite"
)

func TestJourneysHaveACommonReport(t *testing.T) {
	g := NewWithT(t)
	got, out, err := runJourneys(t, Config{}, newJourneys("up", "down"), command(map[string]string{"up": "passed", "down": "failed"}, ""))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomesOf(got)).To(Equal(map[string]suite.Outcome{"up": suite.Passed, "down": suite.Failed}))
	g.Expect(got.Verdict.Result).To(Equal(report.Failed))
	g.Expect(got.Cluster.Name).To(BeEmpty(), "each journey had its own cluster")
	release := clusters.Newest().Minor
	g.Expect(out).To(ContainSubstring(`"Release":"`+release+`","Gates":"default","Scheduler":"kube-scheduler"`), "each journey has its initial cluster")
	g.Expect(out).To(ContainSubstring(`"Workers":2`))
	g.Expect(out).To(ContainSubstring("journey 2 of 2: down, from Kubernetes " + release))
	dir := filepath.Dir(reportOf(out))
	written, err := report.Read(filepath.Join(dir, report.File))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomesOf(written)).To(Equal(outcomesOf(got)))
	g.Expect(filepath.Join(dir, "artifacts", "down")).To(BeADirectory(), "the artifacts of a failed journey are where the page links to")
	g.Expect(filepath.Join(dir, "artifacts", "up")).NotTo(BeAnExistingFile())
}

// Those who watch the run see the outcome of each journey when it ends.
func TestJourneysCanBeWatched(t *testing.T) {
	g := NewWithT(t)
	_, out, err := runJourneys(t, Config{}, newJourneys("up", "down"), command(map[string]string{"up": "passed", "down": "failed"}, ""))
	g.Expect(err).NotTo(HaveOccurred())
	seen, err := live.Read(filepath.Dir(reportOf(out)))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(seen.Planned).To(Equal(2))
	g.Expect(seen.Specs).To(HaveExactElements(
		And(HaveField("ID", "up"), HaveField("Outcome", suite.Passed)), And(HaveField("ID", "down"), HaveField("Outcome", suite.Failed)),
	))
}

func TestJourneysFailFast(t *testing.T) {
	g := NewWithT(t)
	cmd := command(map[string]string{"up": "failed", "down": "passed"}, "")
	got, _, err := runJourneys(t, Config{FailFast: true}, newJourneys("up", "down"), cmd)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomesOf(got)).To(Equal(map[string]suite.Outcome{"up": suite.Failed, "down": suite.Skipped}))

	got, _, err = runJourneys(t, Config{Selection: suite.Selection{IDs: []string{"down"}}}, newJourneys("up", "down"), cmd)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomesOf(got)).To(Equal(map[string]suite.Outcome{"down": suite.Passed}), "only the selected journey")
}

// Each journey waits for the other. If they ran one after the other, the first would
// wait forever.
func TestJourneysInParallel(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	passes := command(map[string]string{"up": "passed", "down": "failed", "back": "passed"}, "")
	meet := func(ctx context.Context) *exec.Cmd {
		cmd := passes(ctx)
		text := &cmd.Args[len(cmd.Args)-1]
		*text = fmt.Sprintf("touch %s/$$; until [ $(ls %[1]s | wc -l) -ge 2 ]; do sleep 0.05; done; ", dir) + *text
		return cmd
	}
	got, out, err := runJourneys(t, Config{Parallel: 2}, newJourneys("up", "down", "back"), meet)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Specs).To(HaveExactElements(HaveField("ID", "up"), HaveField("ID", "down"), HaveField("ID", "back")))
	g.Expect(outcomesOf(got)).To(Equal(map[string]suite.Outcome{"up": suite.Passed, "down": suite.Failed, "back": suite.Passed}))
	g.Expect(out).To(MatchRegexp(`(?m)^up: config: .*"Parallel":0`), "each line says whose it is, and a journey has no workers")
	g.Expect(out).To(MatchRegexp(`(?m)^down: config: `))
}

// Otherwise a long journey could begin last and run alone.
func TestLongJourneysStartFirstInParallel(t *testing.T) {
	g := NewWithT(t)
	j := &journeys{plan: &plan{selected: newJourneys("unknown", "claim-has-256-consumers", "other")}}
	g.Expect(j.order()).To(Equal([]int{0, 1, 2}))
	j.Parallel = 2
	g.Expect(j.order()).To(Equal([]int{1, 0, 2}))
}

func TestJourneysInParallelNeedRoomForTheLargest(t *testing.T) {
	g := NewWithT(t)
	all := newJourneys("up", "down", "back")
	all[1].Journey.InitialCluster.Workers, all[2].Journey.InitialCluster.Workers = 3, 9
	var started []string
	cmd := func(ctx context.Context) *exec.Cmd {
		started = append(started, "one")
		return command(map[string]string{"up": "passed", "down": "passed"}, "")(ctx)
	}
	c := Config{Parallel: 2, Dir: t.TempDir()}
	_, err := Journeys(t.Context(), c, all, cmd, hostFor(4), &bytes.Buffer{})
	g.Expect(err).To(MatchError(ErrConfig))
	g.Expect(err).To(MatchError(HaveSuffix("2 journeys at the same time: too little memory")))
	g.Expect(started).To(BeEmpty())
	g.Expect(os.ReadDir(c.Dir)).To(BeEmpty())

	got, err := Journeys(t.Context(), c, all, cmd, hostFor(5), &bytes.Buffer{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomesOf(got)).To(Equal(map[string]suite.Outcome{"up": suite.Passed, "down": suite.Passed, "back": suite.NotApplicable}), "the last one has no room alone")
}

// A provisional journey that fails neither ends the run nor fails it.
func TestProvisionalJourneys(t *testing.T) {
	g := NewWithT(t)
	all := newJourneys("up", "down")
	all[0].Level, all[1].Level = suite.Provisional, suite.Core
	got, _, err := runJourneys(t, Config{FailFast: true}, all, command(map[string]string{"up": "failed", "down": "passed"}, ""))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomesOf(got)).To(Equal(map[string]suite.Outcome{"up": suite.Failed, "down": suite.Passed}))
	g.Expect(got.Verdict.Result).To(Equal(report.Passed))
	g.Expect(got.Verdict.Profiles[0].Result).To(Equal(report.Conformant))
	g.Expect(got.Verdict.Provisional).To(Equal(&report.Provisional{Failed: []string{"up"}}))
}

func TestJourneysBeyondTheHostAreNotApplicable(t *testing.T) {
	g := NewWithT(t)
	all := newJourneys("up", "down")
	all[0].Journey.InitialCluster.Workers = 3
	got, out, err := runJourneys(t, Config{}, all, command(map[string]string{"down": "passed"}, ""))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcomesOf(got)).To(Equal(map[string]suite.Outcome{"up": suite.NotApplicable, "down": suite.Passed}))
	g.Expect(got.Specs[0].Reason).To(Equal("too little memory"))
	g.Expect(out).To(ContainSubstring("journey 1 of 2: up: too little memory"))
}

// A journey without a report has not passed.
func TestJourneysWithoutReportAreIncomplete(t *testing.T) {
	g := NewWithT(t)
	got, _, err := runJourneys(t, Config{}, newJourneys("up", "down"), command(map[string]string{"up": "passed"}, ""))
	g.Expect(err).To(MatchError(ContainSubstring("journey down: find the report of a run: want one, there are 0 in ")))
	g.Expect(outcomesOf(got)).To(HaveKeyWithValue("down", suite.Outcome("")))
	g.Expect(got.Verdict.Result).To(Equal(report.Incomplete))

	got, _, err = runJourneys(t, Config{}, newJourneys("up"), command(map[string]string{"up": "passed"}, ", problem: too little memory"))
	g.Expect(err).To(MatchError(ContainSubstring("journey up: too little memory")))
	g.Expect(got.Verdict.Result).To(Equal(report.Incomplete))
}

// The cluster was created for the journey, so these outcomes are errors.
func TestJourneysThatDidNotRunAreIncomplete(t *testing.T) {
	for _, outcome := range []string{"not-applicable", "not-supported"} {
		g := NewWithT(t)
		got, _, err := runJourneys(t, Config{}, newJourneys("up", "down"), command(map[string]string{"up": "passed", "down": outcome}, ""))
		g.Expect(err).To(MatchError(ContainSubstring("journey down: did not run in its own cluster")))
		g.Expect(got.Verdict.Result).To(Equal(report.Incomplete))
	}
}

func TestUnknownJourneysAreRejected(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	_, err := Journeys(t.Context(), Config{Dir: dir, Selection: suite.Selection{IDs: []string{"sideways"}}}, newJourneys("up"), nil, nil, &bytes.Buffer{})
	g.Expect(err).To(MatchError(ErrConfig))
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(BeEmpty(), "no folder is created")
}
