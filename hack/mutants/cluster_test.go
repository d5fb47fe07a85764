// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	imagename "github.com/google/go-containerregistry/pkg/name"
	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/hack/internal/kindrun"
)

func TestBrokenImages(t *testing.T) {
	g := NewWithT(t)
	one := fault{Name: "one", Broken: driver}
	got := imagesOf([]batch{
		{name: "batch-1", faults: []fault{{Name: "other", Broken: scheduler}, one, {Name: "two", Broken: kubelet}, {Name: "three", Broken: apiServer}}},
		alone(one),
	})
	whole := []images.Image{images.Workload, images.NodeAgent, switches.Image(images.Scheduler, ""), switches.Image(images.Fakedriver, "")}
	g.Expect(got[:4]).To(Equal(whole), "those of runs without a fault")
	g.Expect(whole[2].Env).To(BeEmpty())
	driverWith := func(ref, faults string) images.Image {
		return images.Image{Ref: ref, Package: images.Fakedriver.Package, Tags: []string{"draconform_faults"}, Env: []string{"DRACONFORM_FAULT=" + faults}}
	}
	g.Expect(got[4:]).To(HaveExactElements(
		And(HaveField("Ref", "draconform.dev/draconform-scheduler:batch-1"), HaveField("Env", []string{"DRACONFORM_FAULT=other"})),
		driverWith("draconform.dev/fakedriver:batch-1", "one,two"), driverWith("draconform.dev/fakedriver:one", "one"),
	))
	g.Expect(images.Scheduler.Tags).To(BeEmpty(), "the image itself is unchanged")

	all, err := load(data, ownComponents, specs.All(), journeys.All())
	g.Expect(err).NotTo(HaveOccurred())
	for _, f := range all.Faults {
		_, err := imagename.ParseReference(switches.Image(images.Scheduler, f.Name).Ref)
		g.Expect(err).NotTo(HaveOccurred())
	}
}

// stub returns a cluster whose draconform command is a shell script.
func stub(t *testing.T, script string) *cluster {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "draconform")
	NewWithT(t).Expect(os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o755)).To(Succeed())
	return &cluster{Cluster: kindrun.Cluster{Provider: kind.New(nil, kind.Options{Name: "c"}), Dir: dir, Draconform: program, Scale: 1.5}}
}

const writeReport = `
for dir; do :; done
mkdir -p "$dir/run-1"
cat > "$dir/run-1/report.yaml" <<END
apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: run-1}
specs: [{id: s1, outcome: failed, reason: because}]
verdict: {result: failed}
END
echo "$@"
exit 1
`

func TestRunReadsTheReportOfAFailedRun(t *testing.T) {
	g := NewWithT(t)
	c := stub(t, writeReport)
	got, err := c.run(t.Context(), "a", "b", scope{specs: []string{"s1", "s2"}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Specs).To(HaveLen(1))
	g.Expect(got.Specs[0].Reason).To(Equal("because"))
	output, err := os.ReadFile(filepath.Join(c.Dir, "a", "output.log"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.TrimSpace(string(output))).To(Equal("run --provider existing --kubeconfig  --context kind-c --kind-cluster c --scheduler draconform --simulate-nodes --node-agent " +
		"--fakedriver-image draconform.dev/fakedriver:b --focus ^(s1|s2)$ --first  --timeout-scale 1.5 --artifacts " + filepath.Join(c.Dir, "a")))
}

// A run with a fault that has been found is interrupted, and what it judged counts.
func TestRunEndsOnceTheFaultIsFound(t *testing.T) {
	g := NewWithT(t)
	c := stub(t, `
for dir; do :; done
mkdir -p "$dir/run-1"
trap 'cp "$0.yaml" "$dir/run-1/report.yaml"; exit 1' INT
echo '{"finished": {"id": "s1", "outcome": "failed", "reason": "seen"}}' > "$dir/run-1/live.jsonl"
while :; do sleep 0.1; done
`)
	g.Expect(os.WriteFile(c.Draconform+".yaml", []byte(`
apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: run-1}
specs: [{id: s1, outcome: failed, reason: seen}, {id: s2, outcome: skipped}]
verdict: {result: incomplete}
`), 0o644)).To(Succeed())
	b := batch{name: "batch-1", faults: []fault{{Name: "a", Specs: []string{"s1", "s2"}, reason: regexp.MustCompile("seen")}}}
	got, err := c.run(t.Context(), b.name, "", scope{until: b.found})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(judgeWhole(b, got, err).outcomes).To(Equal([]outcome{{fault: b.faults[0], verdict: killed, spec: "s1", reason: "seen", found: 1}}))
}

func TestRunErrors(t *testing.T) {
	t.Run("no report", func(t *testing.T) {
		g := NewWithT(t)
		c := stub(t, "exit 3\n")
		_, err := c.run(t.Context(), "a", "", scope{specs: []string{"s1"}})
		g.Expect(err).To(MatchError("run draconform, see " + filepath.Join(c.Dir, "a", "output.log") + ": exit status 3"))
	})
	t.Run("no report of a successful run", func(t *testing.T) {
		c := stub(t, "exit 0\n")
		_, err := c.run(t.Context(), "a", "", scope{specs: []string{"s1"}})
		NewWithT(t).Expect(err).To(MatchError("find the report of a run: want one, there are 0 in " + filepath.Join(c.Dir, "a")))
	})
	t.Run("interrupted", func(t *testing.T) {
		g := NewWithT(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		_, err := stub(t, writeReport).run(ctx, "a", "", scope{specs: []string{"s1"}})
		g.Expect(err).To(MatchError(HaveSuffix("output.log: enough")))
	})
}

func TestCommandLine(t *testing.T) {
	t.Run("lists", func(t *testing.T) {
		g := NewWithT(t)
		var out bytes.Buffer
		g.Expect(mutants(t.Context(), []string{"--list", "--mutant", "^forgets-to"}, &out)).To(Succeed())
		g.Expect(strings.Split(out.String(), "\n")).To(HaveExactElements(
			HavePrefix("FAULT "), MatchRegexp(`^forgets-to-unprepare +driver +exclusive-is-prepared-and-released +reports that`), "",
		))
	})
	t.Run("prints batches", func(t *testing.T) {
		g := NewWithT(t)
		var out bytes.Buffer
		g.Expect(mutants(t.Context(), []string{"--whole", "--dry-run", "--mutant", "^(ignores-classes|overdraws-capacity|misstates-metadata|accepts-old-form)$"}, &out)).To(Succeed())
		g.Expect(strings.Split(out.String(), "\n")).To(HaveExactElements(
			HavePrefix("BATCH "), MatchRegexp("^batch-1 +ignores-classes +scheduler +everything "),
			MatchRegexp("^batch-2 +overdraws-capacity +scheduler +capacity "), MatchRegexp("^batch-2 +misstates-metadata +driver +driver/metadata "),
			HavePrefix("3 faults in 2 batches, and a run without a fault: about "), "not in a batch: 1 faults that journeys find, and 0 without a spec", "",
		))
	})
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"an argument":   {[]string{"all"}, `usage: there are only flags, no argument "all"`},
		"two ways":      {[]string{"--whole", "--foreign"}, "usage: --whole has neither --foreign nor --classic nor --list"},
		"two drivers":   {[]string{"--classic", "--foreign"}, "usage: --foreign and --classic break different drivers"},
		"no batches":    {[]string{"--dry-run"}, "usage: --dry-run needs --whole"},
		"no containers": {[]string{"--needs-containers", "--provider", "control-plane"}, "usage: --needs-containers needs --provider kind"},
		"unknown flag":  {[]string{"--fault", "a"}, "usage: flag provided but not defined: -fault"},
		"unknown fault": {[]string{"--mutant", "^a$"}, `usage: no fault matches "^a$"`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			NewWithT(t).Expect(mutants(t.Context(), test.args, &out)).To(MatchError(test.want))
		})
	}
}
