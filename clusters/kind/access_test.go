// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestNodeNames(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, twoClusters)
	all, err := p.NodeNames(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all).To(ContainElements(p.ControlPlaneNode(), "c-worker"))
	g.Expect(all).NotTo(ContainElement(HavePrefix("d-")), "nodes of another cluster")
	p.options.Name = "none"
	_, err = p.NodeNames(t.Context())
	g.Expect(err).To(MatchError(`there is no cluster "none"`))
}

// The number of workers is needed to wait for all nodes.
func TestFindCountsTheWorkers(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, fake.Answer{Args: listOurs, Stdout: "c;r1;c-control-plane;running\nc;r1;c-worker;running\nc;r1;c-worker2;running\n"})
	found, err := Find(t.Context(), p.engine, "c", "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.options.Workers).To(Equal(2))
}

// The context in the kubeconfig may refer to another cluster of this name.
func TestRESTConfigIsReadFromTheNode(t *testing.T) {
	g := NewWithT(t)
	admin := clientcmdapi.NewConfig()
	admin.CurrentContext = "kubernetes-admin@c"
	admin.Contexts[admin.CurrentContext] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "kubernetes-admin"}
	admin.Clusters["c"] = &clientcmdapi.Cluster{Server: "https://c-control-plane:6443", CertificateAuthorityData: []byte("of the node")}
	admin.AuthInfos["kubernetes-admin"] = &clientcmdapi.AuthInfo{Token: "of the node"}
	onNode, err := clientcmd.Write(*admin)
	g.Expect(err).NotTo(HaveOccurred())
	p, _ := newProvider(t, fake.Answer{Args: "exec c-control-plane cat /etc/kubernetes/admin.conf", Stdout: string(onNode)},
		fake.Answer{Args: "port c-control-plane 6443/tcp", Stdout: "127.0.0.1:40001\n[::1]:40001\n"})
	g.Expect(clientcmd.WriteToFile(twoContexts(), p.options.Kubeconfig)).To(Succeed())
	p.setKubeconfig()
	config, err := p.RESTConfig(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.Host).To(Equal("https://127.0.0.1:40001"))
	g.Expect(string(config.CAData)).To(Equal("of the node"))
	g.Expect(config.BearerToken).To(Equal("of the node"))
}

func TestRESTConfigErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer fake.Answer
		want   string
	}{
		"of a node that does not answer": {
			fake.Answer{Args: "exec", Exit: 1, Stderr: "container c-control-plane is not running\n"},
			"^read the kubeconfig of cluster c: .*is not running$",
		},
		"of a file in another form": {fake.Answer{Args: "exec", Stdout: "{"}, "^read /etc/kubernetes/admin.conf of node c-control-plane: "},
		"of a port that is not published": {
			fake.Answer{Args: "exec", Stdout: "{current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: 'https://c'}}]}"}, "^find the port of cluster c: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, test.answer)
			_, err := p.RESTConfig(t.Context())
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

func TestLoadImageArchiveIntoOneNode(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: listNodes, Stdout: "c-worker\nc-control-plane\n"}, nodeRole,
		fake.Answer{Args: "exec --privileged c-worker containerd", Stdout: containerdConfig}, fake.Answer{Args: "exec --privileged -i"})
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(os.WriteFile(archive, []byte("an archive"), 0o600)).To(Succeed())
	g.Expect(p.LoadImageArchiveInto(t.Context(), "c-worker", archive)).To(Succeed())
	g.Expect(f.Lines()).To(ContainElement(HavePrefix("docker exec --privileged -i c-worker ctr")))
	g.Expect(f.Lines()).NotTo(ContainElement(HavePrefix("docker exec --privileged -i c-control-plane")))
	g.Expect(p.LoadImageArchiveInto(t.Context(), "d-worker", archive)).To(MatchError(`cluster c has no node "d-worker"`))
}
