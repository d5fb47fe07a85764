// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Specs can start controllers next to control planes of releases with classic DRA, and
// only there.
func TestWhereClassicControllersCanBeStarted(t *testing.T) {
	for name, test := range map[string]struct {
		provider, release string
		want              bool
	}{
		"control plane of 1.30": {ControlPlane, "1.30", true},
		"control plane of 1.31": {ControlPlane, "1.31", true},
		"control plane of 1.34": {ControlPlane, "1.34", false},
		"kind cluster of 1.30":  {Kind, "1.30", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			release, err := clusters.FindRelease(test.release)
			g.Expect(err).NotTo(HaveOccurred())
			r := &runner{plan: &plan{Config: Config{Provider: test.provider}, release: release}}
			var target env.Target
			r.addClassicControllers(t.Context(), &target, "kubeconfig")
			g.Expect(target.ClassicControllers != nil).To(Equal(test.want))
		})
	}
}

// A controller gets its devices and nodes, and can be killed.
func TestClassicControllersAreStarted(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	g.Expect(os.WriteFile(program, []byte("#!/bin/sh\nfor argument; do echo \"$argument\"; done\nexec sleep 600\n"), 0o755)).To(Succeed())
	release, err := clusters.FindRelease("1.31")
	g.Expect(err).NotTo(HaveOccurred())
	r := &runner{plan: &plan{release: release}, dir: dir, classicProgram: program}
	process, err := classicControllers{r, "admin.conf"}.Start(t.Context(), operations.ClassicController{
		Driver: "drv.example.com", Namespace: "of-spec", DevicesPerNode: 2, Nodes: map[string]string{"rack": "1"},
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(func() (string, error) {
		content, err := classicControllers{runner: r}.Log("drv.example.com")
		return string(content), err
	}, time.Minute).Should(And(
		HavePrefix("controller\n--driver-name=drv.example.com\n--namespace=of-spec\n--kubeconfig=admin.conf\n"),
		ContainSubstring(`--inventory={"limit":0,"network":0,"nodes":{"rack":"1"},"perNode":2}`), HaveSuffix("--leader-elect=false\n-v=4\n"),
	))
	g.Expect(process.Kill()).To(Succeed())
	_, err = classicControllers{runner: r}.Log("other.example.com")
	g.Expect(err).To(MatchError(os.ErrNotExist))
	r.classicProgram = ""
	_, err = classicControllers{r, "admin.conf"}.Start(t.Context(), operations.ClassicController{})
	g.Expect(err).To(MatchError("start a controller of classic DRA: its program was not built"))
}

// Nothing is built for specs that start no controllers, and where the run installs a driver.
func TestClassicControllersAreBuiltIfNeeded(t *testing.T) {
	for provider, need := range map[string]env.Need{ControlPlane: env.NeedsSimulatedNodes, Kind: env.NeedsClassicAllocator} {
		g := NewWithT(t)
		r := &runner{plan: &plan{Config: Config{Provider: provider}}}
		remove, err := r.buildClassicController(t.Context(), []suite.Spec{{ID: "plain", Needs: []env.Need{need}}})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(remove()).To(Succeed())
		g.Expect(r.classicProgram).To(BeEmpty())
	}
	for _, need := range []env.Need{env.NeedsClassicControllers, env.NeedsClassicAllocator} {
		NewWithT(t).Expect(startsControllers(suite.Spec{Needs: []env.Need{need}})).To(BeTrue())
	}
}
