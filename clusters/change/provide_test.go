package change

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fakecmd"
	"github.com/draconform/draconform/clusters/kind"
)

// Only what is not there is brought: images where their pods run, kubelets where they are changed.
func TestMissing(t *testing.T) {
	g := NewWithT(t)
	c, _ := newCluster(t, []fakecmd.Answer{
		{Args: "exec c-control-plane", Stdout: "registry.k8s.io/kube-proxy:v1.37.1\nregistry.k8s.io/kube-apiserver:v1.37.1\nin-place Kubernetes v1.36.3\n"},
		{Args: "exec c-worker", Stdout: "/usr/bin/kubelet-v1.37.1\nin-place Kubernetes v1.36.3\n"},
	})
	to := func(i Instance, minor string) Step { return Step{To: of(t, i, minor, "default")} }
	ours := to(Instance{Component: Scheduler}, "1.37")
	ours.To.Scheduler = kind.DraconformScheduler
	missing, err := c.missing(t.Context(), []Step{
		to(Instance{Component: APIServer}, "1.37"), to(Instance{Component: ControllerManager}, "1.37"), ours,
		to(Instance{Kubelet, "c-control-plane"}, "1.37"), to(worker, "1.37"), to(worker, "1.36"), to(proxy, "1.37"),
	})
	g.Expect(err).NotTo(HaveOccurred())
	newer := of(t, worker, "1.37", "default").Release
	g.Expect(missing).To(Equal(map[string][]need{
		"c-control-plane": {{newer, ControllerManager}, {newer, Kubelet}},
		"c-worker":        {{newer, Proxy}},
	}))
}

func TestMissingNothing(t *testing.T) {
	g := NewWithT(t)
	c, _ := newCluster(t, []fakecmd.Answer{{Args: "exec", Stdout: "in-place Kubernetes v1.36.3\n"}})
	missing, err := c.missing(t.Context(), []Step{{To: of(t, worker, "1.36", "alpha")}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(missing).To(BeEmpty(), "a change of gates brings nothing")
}

func TestMissingNamesTheNodeThatCannotBeAsked(t *testing.T) {
	c, _ := newCluster(t, []fakecmd.Answer{{Args: "exec c-control-plane", Stdout: "in-place Kubernetes v1.36.3\n"}, {Args: "exec", Exit: 1, Stderr: "no such container\n"}})
	_, err := c.missing(t.Context(), nil)
	NewWithT(t).Expect(err).To(MatchError(MatchRegexp("^look for images and kubelets: on node c-worker: .*no such container$")))
}
