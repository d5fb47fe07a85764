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

	"github.com/draconform/draconform/hack/internal/command"
)

// environment contains a fake draconform command that records its calls and writes reports.
type environment struct {
	dir, command string
}

// noRoom is for a machine with room for two clusters.
func (e *environment) noRoom(_ context.Context, workers ...int) string {
	if len(workers) > 2 {
		return "too few inotify instances"
	}
	return ""
}

// header is the start of all reports.
const header = `apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: x, started: "2026-01-01T00:00:00Z", duration: 90s, version: (devel)}
cluster: {provider: kind, name: c, workers: 1, components: []}
subject: {drivers: [], installed: true}
features: {}
`

const (
	passes     = "specs: [{id: a, sentence: s, profile: p, judges: driver, features: [], outcome: passed, seconds: 1}]\nverdict: {result: passed, counts: {passed: 1}, rule: r}\n"
	fails      = "specs: [{id: a, sentence: s, profile: p, judges: driver, features: [], outcome: failed, reason: \"it should run\\nand does not\", seconds: 1}]\nverdict: {result: failed, counts: {failed: 1}, rule: r}\n"
	incomplete = "specs: []\nverdict: {result: incomplete, counts: {}, problem: no cluster, rule: r}\n"
)

// newEnvironment returns an environment whose command writes the reports one after the other and repeats the last one.
// An empty report is not written.
func newEnvironment(t *testing.T, reports ...string) *environment {
	t.Helper()
	e := &environment{dir: t.TempDir()}
	e.command = filepath.Join(e.dir, "draconform")
	for i, r := range reports {
		e.write(t, fmt.Sprintf("report-%d", i+1), header+r)
	}
	script := fmt.Sprintf(`#!/bin/sh
cd %[1]s
echo "$@" >> calls
n=$(wc -l < calls)
[ "$n" -gt %[2]d ] && n=%[2]d
for dir; do :; done
if [ $(wc -l < "report-$n") -gt 6 ]; then
  mkdir -p "$dir/run" && cp "report-$n" "$dir/run/report.yaml"
else
  echo "no engine answers"; exit 3
fi
`, e.dir, len(reports))
	e.write(t, "draconform", script)
	NewWithT(t).Expect(os.Chmod(e.command, 0o755)).To(Succeed())
	return e
}

func (e *environment) write(t *testing.T, name, content string) {
	t.Helper()
	NewWithT(t).Expect(os.WriteFile(filepath.Join(e.dir, name), []byte(content), 0o644)).To(Succeed())
}

// flakes runs the command with flags and returns its output.
func (e *environment) flakes(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := flakes(ctx, append([]string{"--draconform", e.command, "--artifacts", filepath.Join(e.dir, "out")}, args...), &out, e.noRoom)
	return out.String(), err
}

func (e *environment) calls(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(e.dir, "calls"))
	if os.IsNotExist(err) {
		return nil
	}
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

const both = "^suite"

func TestEachRoundRunsAllVariants(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, passes)
	out, err := e.flakes(t.Context(), "--variant", both, "--rounds", "2")
	g.Expect(err).NotTo(HaveOccurred())
	ours, release := HavePrefix("run --scheduler draconform --artifacts "), HavePrefix("run --scheduler kube-scheduler --serve ")
	g.Expect(e.calls(t)).To(HaveExactElements(ours, release, ours, release))
	g.Expect(out).To(ContainSubstring("VARIANT                    ROUNDS  PASSED  SPECS  SHORTEST  MEDIAN  LONGEST\nsuite-with-draconform      2 of 2  2       1      1m30s     1m30s   1m30s\n"))
	g.Expect(out).NotTo(ContainSubstring("REASON"))
}

func TestEveryJourneyIsAVariant(t *testing.T) {
	e := newEnvironment(t, passes)
	_, err := e.flakes(t.Context(), "--variant", "scheduler-changes-hands", "--rounds", "1")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(e.calls(t)).To(HaveExactElements(HavePrefix("skew --id scheduler-changes-hands --artifacts ")))
}

func TestTableListsFailuresWithTheirRound(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, passes, fails, passes)
	out, err := e.flakes(t.Context(), "--variant", "with-draconform", "--rounds", "3")
	g.Expect(err).To(MatchError(errFlakes))
	g.Expect(out).To(ContainSubstring("suite-with-draconform  3 of 3  2 "))
	g.Expect(out).To(MatchRegexp(`FAILED +VARIANT +ROUND +REASON\na +suite-with-draconform +2 +it should run\n`))
}

// An incomplete round is repeated. Complete rounds are not, even if they failed.
func TestFinishedRoundsAreNotRepeated(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, fails, incomplete, passes)
	_, err := e.flakes(t.Context(), "--variant", "with-draconform", "--rounds", "2")
	g.Expect(err).To(MatchError(errFlakes))
	out, err := e.flakes(t.Context(), "--variant", "with-draconform", "--rounds", "3")
	g.Expect(err).To(MatchError(errFlakes), "the first round has failed")
	g.Expect(e.calls(t)).To(HaveLen(4), "the second round again, and a third")
	g.Expect(out).To(ContainSubstring("suite-with-draconform  3 of 3  2 "))
	again, err := e.flakes(t.Context(), "--variant", "with-draconform", "--rounds", "3", "--list")
	g.Expect(err).To(MatchError(errFlakes))
	g.Expect(e.calls(t)).To(HaveLen(4))
	g.Expect(out).To(HaveSuffix(again))
}

func TestAnotherBuildRepeatsAllRounds(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, passes)
	_, err := e.flakes(t.Context(), "--variant", "with-draconform", "--rounds", "1")
	g.Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile(e.command)
	g.Expect(err).NotTo(HaveOccurred())
	e.write(t, "draconform", string(content)+"# changed\n")
	_, err = e.flakes(t.Context(), "--variant", "with-draconform", "--rounds", "1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(e.calls(t)).To(HaveLen(2))
}

func TestRunWithoutAReportIsAnError(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, "")
	out, err := e.flakes(t.Context(), "--variant", "with-draconform", "--rounds", "1")
	g.Expect(err).To(MatchError(And(ContainSubstring("run round 1 of suite-with-draconform: run draconform, see "), ContainSubstring("exit status 3"))))
	g.Expect(out).To(ContainSubstring("suite-with-draconform  0 of 1  0 "))
}

func TestInterruptionStartsNoMoreRuns(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, passes)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.flakes(ctx, "--rounds", "3")
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(e.calls(t)).To(BeEmpty())
}

// Each variant waits for the other. If they ran one after the other, the first would wait forever.
func TestVariantsRunInParallel(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, passes)
	e.write(t, "draconform", fmt.Sprintf(`#!/bin/sh
cd %s
echo x >> calls
while [ $(wc -l < calls) -lt 2 ]; do sleep 0.05; done
for dir; do :; done
mkdir -p "$dir/run" && cp report-1 "$dir/run/report.yaml"
`, e.dir))
	g.Expect(os.Chmod(e.command, 0o755)).To(Succeed())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := e.flakes(ctx, "--variant", both, "--rounds", "1", "--parallel", "2")
	g.Expect(err).NotTo(HaveOccurred())
}

func TestBadFlags(t *testing.T) {
	e := newEnvironment(t, passes)
	for want, args := range map[string][]string{
		`no variant matches "nothing"`:                                {"--variant", "nothing"},
		"choose variants: error parsing regexp":                       {"--variant", "("},
		"--rounds and --parallel must be at least 1, and are 0 and 1": {"--rounds", "0"},
		"--parallel 3: too few inotify instances":                     {"--parallel", "3"},
		`there are only flags, no argument "suite"`:                   {"suite"},
		"flag provided but not defined: -round":                       {"-round", "3"},
	} {
		_, err := e.flakes(t.Context(), args...)
		NewWithT(t).Expect(err).To(And(MatchError(command.ErrUsage), MatchError(ContainSubstring(want))), "%v", args)
	}
	_, err := e.flakes(t.Context(), "--draconform", filepath.Join(e.dir, "missing"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("identify the build of draconform: open ")))
}
