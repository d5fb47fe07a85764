// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"github.com/draconform/draconform/clusters"
)

var (
	// relevant are values of the flags that affect the result of a run.
	relevant = map[string]string{
		"provider": "existing", "release": "1.35", "gates": "alpha,DRAAdminAccess=false", "scheduler": "draconform", "scheduler-name": "second",
		"scheduler-binary": "a scheduler", "scheduler-config": "scheduler.yaml",
		"simulate-nodes": "true", "workers": "2", "node-image": "node:1", "kubeconfig": "/a/kubeconfig", "context": "test", "kind-cluster": "mine",
		"image-registry": "registry.example.com/dra", "fakedriver-image": "fakedriver:1", "workload-image": "workload:1", "feature-override": "core=present,prioritized-list=absent",
		"labels": "driver && !smoke", "focus": "^a b$", "first": "^c d$", "id": "a,b", "profile": "driver", "feature": "core", "requirement": "4815",
		"serve": "resource.k8s.io/v1beta1,resource.k8s.io/v1beta2", "claim": "driver,affinity", "parallel": "1", "fail-fast": "true", "keep-going": "false", "timeout-scale": "2.5",
		"driver": "gpu,1.yaml", "namespace": "team", "node-agent": "true", "node-agent-image": "agent:1",
	}
	// irrelevant are values of the flags that do not.
	irrelevant = map[string]string{"keep": "true", "artifacts": "artifacts", "dry-run": "true", "output": "json", "results-dir": "results", "run-id": "20260102-030405-a1b2"}
)

// Every new flag must be added to one of the two maps.
func TestRunFlagsAreRelevantOrIrrelevant(t *testing.T) {
	var flags []string
	newRun().Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	NewWithT(t).Expect(flags).To(ConsistOf(slices.Concat(slices.Collect(maps.Keys(relevant)), slices.Collect(maps.Keys(irrelevant)))))
}

func TestReproduceFlags(t *testing.T) {
	for flag, value := range relevant {
		t.Run(flag, func(t *testing.T) {
			g := NewWithT(t)
			given, read := newRun().Flags(), newRun().Flags()
			g.Expect(given.Set(flag, value)).To(Succeed())
			words := reproduceFlags(given)
			g.Expect(read.Parse(words)).To(Succeed())
			g.Expect(read.Args()).To(BeEmpty())
			g.Expect(read.Changed(flag)).To(BeTrue(), "%v", words)
			g.Expect(read.Lookup(flag).Value.String()).To(Equal(given.Lookup(flag).Value.String()), "%v", words)
		})
	}
}

func TestReproduceFlagsOmitsIrrelevantFlags(t *testing.T) {
	g := NewWithT(t)
	f := newRun().Flags()
	kindCluster := []string{"--gates", "default", "--release", clusters.Newest().Minor, "--scheduler", "kube-scheduler", "--workers", "4"}
	g.Expect(reproduceFlags(f)).To(Equal(kindCluster), "the flags of a kind cluster are always included")
	for flag, value := range irrelevant {
		g.Expect(f.Set(flag, value)).To(Succeed())
	}
	g.Expect(reproduceFlags(f)).To(Equal(kindCluster))

	f = newRun().Flags()
	g.Expect(f.Parse([]string{"--driver", "a.yaml", "--driver", "b.yaml"})).To(Succeed())
	g.Expect(reproduceFlags(f)).To(Equal([]string{"--driver", "a.yaml", "--driver", "b.yaml"}), "drivers of files run in an existing cluster")

	f = newRun().Flags()
	g.Expect(f.Parse([]string{"--provider", "control-plane"})).To(Succeed())
	g.Expect(reproduceFlags(f)).To(Equal([]string{"--gates", "default", "--provider", "control-plane", "--release", clusters.Newest().Minor, "--scheduler", "kube-scheduler"}), "a control plane has no workers")

	f = newRun().Flags()
	g.Expect(f.Parse([]string{"--provider", "existing", "--simulate-nodes", "--keep-going=false"})).To(Succeed())
	g.Expect(reproduceFlags(f)).To(Equal([]string{"--keep-going=false", "--provider", "existing", "--simulate-nodes"}), "the flags of a kind cluster are omitted")
}
