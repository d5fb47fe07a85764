// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/measure"
)

// reportYAML is the report of the n-th run of fake makes: two specs ran, one for n
// seconds.
const reportYAML = `apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: x, started: "2026-01-01T00:00:00Z", duration: 90s, version: (devel)}
cluster: {provider: kind, name: c, workers: 1, components: []}
subject: {drivers: [], installed: true}
features: {}
specs:
- {id: slow, sentence: s, profile: p, judges: driver, features: [], outcome: passed, after: 1, seconds: $n}
- {id: fast, sentence: s, profile: p, judges: driver, features: [], outcome: passed, after: 1, seconds: 0.5}
- {id: other, sentence: s, profile: p, judges: driver, features: [], outcome: not-applicable, seconds: 0}
verdict: {result: passed, counts: {passed: 2}, rule: r}
`

// environment has a fake make, which records its calls.
type environment struct{ dir, page string }

// newEnvironment returns an environment with a page. The fake make runs a shell script
// after it has written its report.
func newEnvironment(t *testing.T, script string) environment {
	t.Helper()
	g := NewWithT(t)
	e := environment{dir: t.TempDir()}
	e.page = filepath.Join(e.dir, "page.md")
	g.Expect(os.WriteFile(e.page, []byte("# Title\n"), 0o600)).To(Succeed())
	program := fmt.Sprintf(`#!/bin/sh
echo "$@" >>%[1]s/calls
n=$(wc -l <%[1]s/calls)
for last; do :; done
mkdir -p "${last#ARTIFACTS=}/run/journeys/one"
cat >"${last#ARTIFACTS=}/run/report.yaml" <<END
%[2]sEND
cp "${last#ARTIFACTS=}/run/report.yaml" "${last#ARTIFACTS=}/run/journeys/one"
%[3]s`, e.dir, reportYAML, script)
	g.Expect(os.WriteFile(filepath.Join(e.dir, "make"), []byte(program), 0o700)).To(Succeed()) // #nosec G306 -- It is a program.
	t.Setenv("PATH", e.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return e
}

const passes = `echo ' • 2 specs, one at a time ...'; echo ' ✓ 2 specs, one at a time (1s)'; echo 'verdict: passed'`

func (e environment) bench(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := benchmark(ctx, append([]string{"--artifacts", filepath.Join(e.dir, "out"), "--out", e.page}, args...), &out)
	return out.String(), err
}

// calls returns the arguments of the calls of make without the folders.
func (e environment) calls(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(e.dir, "calls"))
	if os.IsNotExist(err) {
		return nil
	}
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var calls []string
	for line := range strings.Lines(string(content)) {
		call, _, _ := strings.Cut(strings.TrimSpace(line), " ARTIFACTS=")
		calls = append(calls, call)
	}
	return calls
}

func (e environment) pageText(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(e.page)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(content)
}

func TestPathsAreMeasuredAfterARunThatIsNot(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, passes)
	_, err := e.bench(t.Context(), "--paths", "^(e2e|journey)$", "--rounds", "2")
	g.Expect(err).NotTo(HaveOccurred())
	const skew = "e2e-skew JOURNEY=scheduler-changes-hands"
	g.Expect(e.calls(t)).To(HaveExactElements(HavePrefix("e2e FOCUS="), Equal("e2e"), Equal("e2e"), Equal(skew), Equal(skew), Equal(skew)))
	page := e.pageText(t)
	g.Expect(page).To(And(
		HavePrefix("# Title\n\n<!-- begin e2e, written by make bench-e2e -->\n\n## All specs in a kind cluster\n\n`make e2e` with filled caches"),
		ContainSubstring("Median of 2 rounds.\n"),
		MatchRegexp(`\n\| until the verdict \| [0-9.]+ s \| [0-9.]+ s to [0-9.]+ s \|\n`),
		ContainSubstring("\n| specs that ran | 2 | 2 to 2 |\n"),
		ContainSubstring("\n| specs one at a time | "),
		// The run that is not measured was the first one.
		ContainSubstring("\n| slow | 2.0 s | 2.0 s to 3.0 s |\n| fast | 0.5 s | 0.5 s to 0.5 s |\n"),
		ContainSubstring("<!-- begin journey, written by make bench-e2e -->"),
	))

	_, err = e.bench(t.Context(), "--paths", "^journey$", "--rounds", "1")
	g.Expect(err).NotTo(HaveOccurred())
	before, _, _ := strings.Cut(page, "<!-- begin journey")
	g.Expect(e.pageText(t)).To(HavePrefix(before), "the part of another path stays as it is")
}

func TestFailedRunsAreNotMeasured(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, `[ "$n" -lt 3 ] || exit 1; `+passes)
	_, err := e.bench(t.Context(), "--paths", "^(e2e|journey)$", "--rounds", "3")
	g.Expect(err).To(MatchError(And(ContainSubstring("measure e2e: exit status 1, see "), ContainSubstring("measure journey: exit status 1, see "))))
	g.Expect(e.calls(t)).To(HaveLen(4), "no more rounds of a path after a failure")
	g.Expect(e.pageText(t)).To(And(ContainSubstring("Median of 1 round.\n"), Not(ContainSubstring("journey"))))
}

func TestInterruptionEndsMake(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, `trap 'kill $!; echo removed >`+"$(dirname $0)"+`/removed; exit 1' TERM; sleep 60 & echo started; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		log := func() ([]byte, error) { return os.ReadFile(filepath.Join(e.dir, "out", "e2e", "warm", "output.log")) }
		g.Eventually(log).WithTimeout(lots).Should(ContainSubstring("started"))
	}()
	_, err := e.bench(ctx)
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(e.calls(t)).To(HaveLen(1))
	g.Expect(filepath.Join(e.dir, "removed")).To(BeAnExistingFile(), "it could remove what it had created")
}

func TestDryRunPrintsTheCommands(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, passes)
	out, err := e.bench(t.Context(), "--dry-run", "--paths", "kube", "--rounds", "5")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(MatchRegexp(`^e2e-scheduler-kube-scheduler: make e2e-scheduler SCHEDULER=kube-scheduler FOCUS=\S+, not measured
e2e-scheduler-kube-scheduler: make e2e-scheduler SCHEDULER=kube-scheduler, rounds: 5
$`))
	g.Expect(e.calls(t)).To(BeEmpty())
}

func TestBadFlags(t *testing.T) {
	for want, args := range map[string][]string{
		`no path matches "nothing"`:          {"--paths", "nothing"},
		"choose paths: error parsing regexp": {"--paths", "("},
		"--rounds must be at least 1, not 0": {"--rounds", "0"},
	} {
		err := benchmark(t.Context(), args, &bytes.Buffer{})
		NewWithT(t).Expect(err).To(And(MatchError(command.ErrUsage), MatchError(ContainSubstring(want))), "%v", args)
	}
}

func TestStepsOfAJourneyReplaceItsSpecs(t *testing.T) {
	g := NewWithT(t)
	all, err := readPaths()
	g.Expect(err).NotTo(HaveOccurred())
	page := document(all[0], measure.Machine{}, []round{{report: journeyReport()}}).Text
	g.Expect(page).To(And(
		ContainSubstring("| the longest steps | median | range |\n|---|---|---|\n| second | 9.0 s | 9.0 s to 9.0 s |\n| first | 3.0 s | 3.0 s to 3.0 s |\n"),
		Not(ContainSubstring("the longest specs")),
	))
}

// lots is longer than any operation in these tests.
const lots = time.Minute

// journeyReport returns the report of a journey with two steps.
func journeyReport() report.Report {
	return report.Report{Specs: []report.Spec{{
		ID: "journey", After: ptr.To(1.0), Seconds: 12,
		Journey: &report.Journey{Steps: []report.JourneyStep{{Text: "first", Seconds: 3}, {Text: "second", Seconds: 9}}},
	}}}
}
