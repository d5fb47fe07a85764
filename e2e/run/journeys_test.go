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
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/live"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// newJourneys returns journeys that start with the newest release.
func newJourneys(ids ...string) []suite.Spec {
	var all []suite.Spec
	for _, id := range ids {
		all = append(all, suite.Spec{
			ID: id, Description: "It upgrades.", Profile: "p", Component: env.Cluster,
			Journey: &journey.Journey{InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: "kube-scheduler", Workers: 2}, Steps: func() []journey.Step { return nil }},
		})
	}
	return all
}

// command returns a shell process that writes the report of its journey with
// the given outcome, and an artifact if the journey failed.
func command(outcomes map[string]string, problem string) JourneyCommand {
	return func(ctx context.Context) *exec.Cmd {
		text := `config=$(cat); echo "config: $config"; `
		for id, outcome := range outcomes {
			text += fmt.Sprintf(`case "$config" in *'"IDs":[%[1]q]'*)
dir=$(printf '%%s' "$config" | sed 's/.*"Dir":"\([^"]*\)".*/\1/')/one; mkdir -p "$dir/artifacts/%[1]s"; [ %[2]s = failed ] || rmdir "$dir/artifacts/%[1]s"
printf 'apiVersion: draconform.dev/v1alpha1\nkind: Report\nrun: {id: one, started: "2026-03-01T12:00:00Z", duration: 9s, version: x}\ncluster: {provider: kind, name: c, workers: 2, components: []}\nsubject: {drivers: [], installed: false}\nfeatures: {}\nspecs:\n- {id: %[1]s, sentence: s, profile: p, judges: cluster, features: [], outcome: %[2]s, after: 3, seconds: 5}\nverdict: {result: %[4]s, counts: {}, rule: r%[3]s}\n' >"$dir/report.yaml";; esac; `, id, outcome, problem, verdictOf(outcome))
		}
		return exec.CommandContext(ctx, "sh", "-c", text)
	}
}

// hostFor returns a CheckHost for a host that can run at most this number of
// workers.
func hostFor(most int) CheckHost {
	return func(_ context.Context, workers ...int) string {
		sum := 0
		for _, n := range workers {
			sum += n
		}
		if sum > most {
			return "too little memory"
		}
		return ""
	}
}

// verdictOf returns the verdict of a run with one outcome.
func verdictOf(outcome string) string {
	if outcome == "failed" {
		return "failed"
	}
	return "passed"
}

func runJourneys(t *testing.T, c Config, all []suite.Spec, cmd JourneyCommand) (report.Report, string, error) {
	var out bytes.Buffer
	c.Dir, c.Progress = t.TempDir(), progress.New(&out)
	got, err := Journeys(t.Context(), c, all, cmd, hostFor(2*max(c.Parallel, 1)), &out)
	return got, out.String(), err
}

func outcomesOf(r report.Report) map[string]suite.Outcome {
	all := map[string]suite.Outcome{}
	for _, s := range r.Specs {
		all[s.ID] = s.Outcome
	}
	return all
}

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

// leaving returns a command that also leaves its cluster if another journey can take it.
func leaving(cmd JourneyCommand) JourneyCommand {
	return func(ctx context.Context) *exec.Cmd {
		c := cmd(ctx)
		c.Args[2] += `case "$config" in *'"handsOn":true'*) printf '{"name":"left","kubeconfig":"/k"}' >"$dir/left.json";; esac`
		return c
	}
}

func TestJourneysHandClustersOn(t *testing.T) {
	g := NewWithT(t)
	all := newJourneys("up", "down", "again")
	all[1].Journey.InitialCluster.Gates = "alpha"
	_, out, err := runJourneys(t, Config{}, all, leaving(command(map[string]string{"up": "passed", "down": "passed", "again": "passed"}, "")))
	g.Expect(err).NotTo(HaveOccurred())
	configs := linesWith(out, "config: ")
	g.Expect(configs).To(HaveLen(3))
	g.Expect(configs[0]).To(And(ContainSubstring(`"handsOn":true`), Not(ContainSubstring("taken"))), "another journey starts with such a cluster")
	g.Expect(configs[1]).NotTo(Or(ContainSubstring("handsOn"), ContainSubstring("taken")), "its cluster is of no use to others")
	g.Expect(configs[2]).To(And(ContainSubstring(`"taken":{"name":"left","kubeconfig":"/k"}`), Not(ContainSubstring("handsOn"))))
}

func TestJourneysKeepTheirOwnClusters(t *testing.T) {
	g := NewWithT(t)
	_, out, err := runJourneys(t, Config{Keep: true}, newJourneys("up", "again"), leaving(command(map[string]string{"up": "passed", "again": "passed"}, "")))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).NotTo(Or(ContainSubstring("handsOn"), ContainSubstring("taken")))
}

func linesWith(out, text string) []string {
	return slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return !strings.Contains(line, text) })
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

// reportOf returns the path of the report that the output names.
func reportOf(out string) string {
	at := bytes.LastIndex([]byte(out), []byte("report: "))
	line, _, _ := bytes.Cut([]byte(out[at+len("report: "):]), []byte("\n"))
	return string(line)
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
