// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/skew"
)

// Only missing components are copied: images to the nodes of their pods,
// kubelets to the nodes on which they change.
func TestMissing(t *testing.T) {
	g := NewWithT(t)
	c, _ := newCluster(t, []fake.Answer{
		{Args: "exec c-control-plane", Stdout: "registry.k8s.io/kube-proxy:v1.37.2\nregistry.k8s.io/kube-apiserver:v1.37.2\nin-place Kubernetes v1.36.3\n"},
		{Args: "exec c-worker", Stdout: "/usr/bin/kubelet-v1.37.2\nin-place Kubernetes v1.36.3\n"},
	})
	to := func(i skew.Instance, minor string) skew.Step { return skew.Step{To: of(t, i, minor, "default")} }
	ours := to(skew.Instance{Component: skew.Scheduler}, "1.37")
	ours.To.Scheduler = skew.DraconformScheduler
	missing, err := c.missing(t.Context(), []skew.Step{
		to(skew.Instance{Component: skew.APIServer}, "1.37"), to(skew.Instance{Component: skew.ControllerManager}, "1.37"), ours,
		to(skew.Instance{Component: skew.Kubelet, Node: "c-control-plane"}, "1.37"), to(worker, "1.37"), to(worker, "1.36"), to(proxy, "1.37"),
	})
	g.Expect(err).NotTo(HaveOccurred())
	newer := of(t, worker, "1.37", "default").Release
	g.Expect(missing).To(Equal(map[string][]need{
		"c-control-plane": {{newer, skew.ControllerManager}, {newer, skew.Kubelet}},
		"c-worker":        {{newer, skew.Proxy}},
	}))
}

func TestMissingIsEmptyForAChangeOfGates(t *testing.T) {
	g := NewWithT(t)
	c, _ := newCluster(t, []fake.Answer{{Args: "exec", Stdout: "in-place Kubernetes v1.36.3\n"}})
	missing, err := c.missing(t.Context(), []skew.Step{{To: of(t, worker, "1.36", "alpha")}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(missing).To(BeEmpty(), "a change of gates copies nothing")
}

func TestMissingNamesTheNodeOnErrors(t *testing.T) {
	c, _ := newCluster(t, []fake.Answer{{Args: "exec c-control-plane", Stdout: "in-place Kubernetes v1.36.3\n"}, {Args: "exec", Exit: 1, Stderr: "no such container\n"}})
	_, err := c.missing(t.Context(), nil)
	NewWithT(t).Expect(err).To(MatchError(MatchRegexp("^list images and kubelets: on node c-worker: .*no such container$")))
}

// Building draconform's scheduler requires a checkout. A checkout that differs
// from the running scheduler's would change the scheduler.
func TestNeedsSchedulerUnlessItRuns(t *testing.T) {
	scheduler := skew.Instance{Component: skew.Scheduler}
	theirs, ours := of(t, scheduler, "1.36", "default"), of(t, scheduler, "1.36", "default")
	theirs.Scheduler, ours.Scheduler = skew.KubeScheduler, skew.DraconformScheduler
	runs := strings.NewReplacer("[kube-scheduler", "[/draconform-scheduler", "registry.k8s.io/kube-scheduler:v1.36.3", "draconform.dev/scheduler:mine").Replace(schedulerYAML)
	for name, test := range map[string]struct {
		from, to skew.Running
		images   string
		want     bool
	}{
		"a change to it":                 {theirs, ours, "draconform.dev/scheduler:mine\n", true},
		"it runs":                        {ours, ours, "draconform.dev/scheduler:mine\n", false},
		"it runs, and its image is gone": {ours, ours, "", true},
		"a change from it":               {ours, theirs, "", false},
		"a change of the release's own":  {theirs, theirs, "", false},
		"a change of another component":  {of(t, worker, "1.36", "default"), of(t, worker, "1.37", "default"), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c, _ := newCluster(t, []fake.Answer{
				{Args: "exec c-control-plane", Has: "images list", Stdout: test.images + "in-place Kubernetes v1.36.3\n"},
				{Args: "exec c-control-plane", Stdout: "there\n" + runs},
			})
			g.Expect(c.needsScheduler(t.Context(), []skew.Step{{From: test.from, To: test.to}})).To(Equal(test.want))
		})
	}
}

func TestUnavailableReleaseNamesThePresentOnes(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	p, _ := newProvider(t,
		fake.Answer{Args: "image inspect", Has: "kindest/node:v1.36.3", Stdout: "sha256:36\n"},
		fake.Answer{Args: "image inspect", Has: "kindest/node:v1.37.2", Stdout: "sha256:37\n"},
		fake.Answer{Args: "image inspect", Exit: 1, Stderr: "Error: No such image\n"},
		fake.Answer{Args: "create", Exit: 1, Stderr: "no space left on device\n"})
	c := &cluster{provider: p, engine: p.Engine()}
	_, err := c.components(t.Context(), map[string][]need{"c-worker": {{of(t, worker, "1.37", "default").Release, skew.Kubelet}}}, nil)
	g.Expect(err).To(MatchError(And(
		HavePrefix("get the components of Kubernetes 1.37.2: "), ContainSubstring("no space left on device\nnothing was changed; "),
		ContainSubstring("docker has: 1.37 (kindest/node:v1.37.2), 1.36 (kindest/node:v1.36.3); "),
		HaveSuffix(`to get that of 1.37.2, run "draconform node-image --release 1.37"`),
	)))
}
