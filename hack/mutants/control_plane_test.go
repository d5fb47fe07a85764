// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
)

// The API server and kubelets of a control plane have no faults, and no spec there
// finds those of drivers.
func TestFaultsThatControlPlanesShow(t *testing.T) {
	all := []suite.Spec{{ID: "simulated"}, {ID: "nodes", MinNodes: 1}, {ID: "driver", Kinds: []subject.Kind{subject.KindExclusive}}}
	policy := ofScheduler("policy", "simulated")
	policy.Broken = apiServer
	journey := ofScheduler("journey")
	journey.Journeys = []string{"j"}
	mixed := ofScheduler("mixed", "nodes", "simulated")
	got := judgedWithoutNodes([]fault{
		ofScheduler("seen", "simulated"), mixed, ofScheduler("on-nodes", "nodes", "driver"), ofDriver("of-driver", "simulated"), policy, journey,
	}, all)
	g := NewWithT(t)
	g.Expect(names(got)).To(Equal([]string{"seen", "mixed"}))
	g.Expect(got[1].Specs).To(Equal([]string{"simulated"}))
	g.Expect(mixed.Specs).To(Equal([]string{"nodes", "simulated"}), "the fault itself is unchanged")
}

// Each run has the faults of the scheduler that was chosen for it, and no others.
func TestControlPlanesWithFaults(t *testing.T) {
	c := &controlPlanes{cluster: stub(t, "")}
	program := "#!/bin/sh\necho \"faults: $DRACONFORM_BREAKS\"" + writeReport
	g := NewWithT(t)
	g.Expect(os.WriteFile(c.breaker(), []byte(program), 0o755)).To(Succeed())
	c.faults = schedulerFaults([]batch{{name: "batch-1", faults: []fault{ofScheduler("a"), ofScheduler("b")}}, alone(ofScheduler("c"))})
	ours := &own{target: c}
	run := func(b batch, specs ...string) string {
		got, err := ours.runBatch(t.Context(), b, scope{specs: specs})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Specs).To(HaveLen(1))
		output, err := os.ReadFile(filepath.Join(c.Dir, b.name, "output.log"))
		g.Expect(err).NotTo(HaveOccurred())
		return string(output)
	}
	args := func(name, focus string) string {
		processes := ""
		if focus != "" {
			processes = " --parallel 9"
		}
		return "run --provider control-plane --scheduler draconform --focus " + focus + " --first " + processes + " --timeout-scale 1.5 --artifacts " + filepath.Join(c.Dir, name) + "\n"
	}
	g.Expect(run(batch{name: without}, "s1")).To(Equal("faults: \n" + args(without, "^(s1)$")))
	g.Expect(run(batch{name: "batch-1", faults: []fault{ofScheduler("a"), ofScheduler("b")}})).To(Equal("faults: scheduler=a,b\n" + args("batch-1", "")))
	g.Expect(run(alone(ofScheduler("c")), "s1", "s2")).To(Equal("faults: scheduler=c\n" + args("c", "^(s1|s2)$")))
}

func TestControlPlanesOnTheCommandLine(t *testing.T) {
	t.Run("batches", func(t *testing.T) {
		g := NewWithT(t)
		var out bytes.Buffer
		g.Expect(mutants(t.Context(), []string{"--provider", "control-plane", "--whole", "--dry-run"}, &out)).To(Succeed())
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "batch-") {
				g.Expect(strings.Fields(line)[2]).To(Equal(scheduler), line)
			}
		}
	})
	for name, args := range map[string][]string{
		"unknown provider":         {"--provider", "existing"},
		"drivers of vendors":       {"--provider", "control-plane", "--foreign"},
		"only a fault of a driver": {"--provider", "control-plane", "--mutant", "^forgets-to-unprepare$"},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(mutants(t.Context(), args, &bytes.Buffer{})).To(MatchError(command.ErrUsage))
		})
	}
}
