// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fake"
)

var twoClusters = fake.Answer{Args: listOurs, Stdout: "" +
	"d;r2;d-worker;exited\n" +
	"c;r1;c-worker;running\n" +
	"c;r1;c-control-plane;running\n" +
	"d;r2;d-control-plane;running\n"}

func TestListGroupsContainersByCluster(t *testing.T) {
	g := NewWithT(t)
	e, f := fake.Docker(t, engine.Find, twoClusters)
	g.Expect(List(t.Context(), e)).To(Equal([]Cluster{
		{Name: "c", Run: "r1", Nodes: []string{"c-control-plane", "c-worker"}, State: "running"},
		{Name: "d", Run: "r2", Nodes: []string{"d-control-plane", "d-worker"}, State: "exited"},
	}))
	g.Expect(f.Lines()).To(Equal([]string{"docker " + listOurs +
		` {{.Label "io.x-k8s.kind.cluster"}};{{.Label "draconform.dev/run"}};{{.Names}};{{.State}}`}))
}

func TestListErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer fake.Answer
		want   string
	}{
		"of an engine that is gone": {
			fake.Answer{Exit: 1, Stderr: "Cannot connect\n"}, `^list clusters: engine: docker ps .*: Cannot connect$`,
		},
		"of an answer in another form": {
			fake.Answer{Args: "ps", Stdout: "c;r1;c-worker\n"}, `^list clusters: unexpected answer "c;r1;c-worker" of docker$`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := fake.Docker(t, engine.Find, test.answer)
			_, err := List(t.Context(), e)
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

func TestFindReturnsTheProviderOfTheClustersRun(t *testing.T) {
	g := NewWithT(t)
	e, _ := fake.Docker(t, engine.Find, twoClusters)
	p, err := Find(t.Context(), e, "d", "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Name()).To(Equal("d"))
	g.Expect(p.GetKubectlContext()).To(Equal("kind-d"))
	g.Expect(p.options.Run).To(Equal("r2"), "Destroy selects by the run")
}

func TestFindListsTheClusters(t *testing.T) {
	for want, answer := range map[string]fake.Answer{
		`draconform has no cluster "x", only c, d`:            twoClusters,
		`draconform has no cluster "x" and no other clusters`: {Args: listOurs},
	} {
		t.Run(want, func(t *testing.T) {
			e, _ := fake.Docker(t, engine.Find, answer)
			_, err := Find(t.Context(), e, "x", "")
			NewWithT(t).Expect(err).To(MatchError(want))
		})
	}
}

func TestDestroyRemovesTheClusterAndItsContext(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, append(objectsOf(), twoClusters,
		fake.Answer{Args: listNodes, Stdout: "c-worker\nc-control-plane\n"},
		fake.Answer{Args: "rm"}, fake.Answer{Args: "image rm"})...)
	g.Expect(clientcmd.WriteToFile(twoContexts(), p.options.Kubeconfig)).To(Succeed())
	g.Expect(p.Destroy(t.Context())).To(Succeed())
	g.Expect(f.Lines()).To(ContainElements("docker rm -f -v c-worker c-control-plane", removeContainer, removeImage))
	left, err := clientcmd.LoadFromFile(p.options.Kubeconfig)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left.Contexts).To(And(HaveLen(1), HaveKey("another")))
}

func TestDestroyKeepsClustersOfOtherRuns(t *testing.T) {
	for name, ours := range map[string]fake.Answer{
		"where another run has a cluster of this name":       {Args: listOurs, Stdout: "c;r2;c-worker;running\n"},
		"where a cluster of this name was created with kind": {Args: listOurs},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, f := newProvider(t, append(objectsOf(), ours, fake.Answer{Args: "rm"}, fake.Answer{Args: "image rm"})...)
			g.Expect(p.Destroy(t.Context())).To(Succeed())
			g.Expect(f.Lines()).To(ContainElements(removeContainer, removeImage), "objects with this run's label")
			g.Expect(f.Lines()).NotTo(ContainElement(HavePrefix("docker rm -f")), "kind selects by name")
			g.Expect(p.options.Kubeconfig).NotTo(BeAnExistingFile())
		})
	}
}

func TestDestroyWithoutAClusterDoesNothing(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: "ps"}, fake.Answer{Args: "image ls"})
	g.Expect(p.Destroy(t.Context())).To(Succeed())
	g.Expect(f.Lines()).NotTo(ContainElement(ContainSubstring("rm ")))
	_, err := os.Stat(p.options.Kubeconfig)
	g.Expect(err).To(MatchError(os.ErrNotExist))
}

func TestDestroyReportsErrors(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, append(objectsOf(), fake.Answer{Args: listOurs},
		fake.Answer{Args: "rm", Exit: 1, Stderr: "device or resource busy\n"}, fake.Answer{Args: "image rm"})...)
	g.Expect(p.Destroy(t.Context())).To(MatchError(MatchRegexp(`^remove the containers and images of run r1: .*: device or resource busy$`)))
}

// twoContexts is a kubeconfig that contains another cluster as well.
func twoContexts() clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	for _, name := range []string{"kind-c", "another"} {
		config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
		config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: "t"}
	}
	return *config
}
