// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/draconform/draconform/clusters/internal/fake"
)

// lots is longer than any operation in these tests.
const lots = 30 * time.Second

// short is a timeout that expires. A busy machine can answer a request before.
const short = 2 * time.Second

// nodeOf returns a node with a Ready condition, or without one if ready is
// empty.
func nodeOf(name string, ready corev1.ConditionStatus, message string) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Message: "no pressure"}}
	if ready != "" {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady, Status: ready, Message: message})
	}
	return n
}

// tainted returns a node with a taint.
func tainted(n corev1.Node, key string) corev1.Node {
	n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	return n
}

func TestNotReady(t *testing.T) {
	for name, test := range map[string]struct {
		node corev1.Node
		want map[string]string
	}{
		"a ready node":             {nodeOf("n", corev1.ConditionTrue, "kubelet is posting ready status"), map[string]string{}},
		"a node that is not ready": {nodeOf("n", corev1.ConditionFalse, "no CNI plugin"), map[string]string{"n": "no CNI plugin"}},
		"an unknown condition":     {nodeOf("n", corev1.ConditionUnknown, "kubelet stopped"), map[string]string{"n": "kubelet stopped"}},
		"no condition":             {nodeOf("n", "", ""), map[string]string{"n": "its kubelet has not reported"}},
		"a ready node with a taint of the time before": {tainted(nodeOf("n", corev1.ConditionTrue, ""), corev1.TaintNodeNotReady), map[string]string{"n": "it still has the taint node.kubernetes.io/not-ready"}},
		"a ready node with a lasting taint":            {tainted(nodeOf("n", corev1.ConditionTrue, ""), "node-role.kubernetes.io/control-plane"), map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(notReady([]corev1.Node{test.node})).To(Equal(test.want))
		})
	}
}

// withNodes connects a provider to an API server that lists these nodes.
func withNodes(t *testing.T, p *Provider, nodes ...corev1.Node) {
	t.Helper()
	withServer(t, p, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(corev1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}, Items: nodes})
	})
}

// withServer connects a provider to an API server.
func withServer(t *testing.T, p *Provider, handler http.HandlerFunc) {
	t.Helper()
	g := NewWithT(t)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	config := twoContexts()
	config.Clusters["kind-c"].Server = server.URL
	g.Expect(clientcmd.WriteToFile(config, p.options.Kubeconfig)).To(Succeed())
	p.setKubeconfig()
	p.options.ReadyTimeout = lots
}

func TestWaitForControlPlaneReturnsWhenAllNodesAreReady(t *testing.T) {
	p, _ := newProvider(t)
	withNodes(t, p, nodeOf("c-control-plane", corev1.ConditionTrue, ""), nodeOf("c-worker", corev1.ConditionTrue, ""))
	NewWithT(t).Expect(p.WaitForControlPlane(t.Context(), nil)).To(Succeed())
}

func TestWaitForControlPlaneNamesTheNodeThatIsNotReady(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: "exec c-worker journalctl", Stdout: "kubelet: what went wrong\n"})
	withNodes(t, p, nodeOf("c-control-plane", corev1.ConditionTrue, ""), nodeOf("c-worker", corev1.ConditionFalse, "no CNI plugin"))
	p.options.ReadyTimeout = short
	err := p.WaitForControlPlane(t.Context(), nil)
	g.Expect(err).To(MatchError("wait for the nodes of cluster c: context deadline exceeded\n" +
		"node c-worker is not ready: no CNI plugin; last lines of its kubelet's log:\nkubelet: what went wrong"))
	g.Expect(f.Lines()).To(HaveLen(1), "logs of ready nodes are not read")
}

// The last request is often interrupted by the timeout.
func TestWaitForControlPlaneReportsTheLastAnswer(t *testing.T) {
	p, _ := newProvider(t)
	asked := 0
	withServer(t, p, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked > 1 {
			<-r.Context().Done()
		}
		http.Error(w, "etcd is starting", http.StatusForbidden)
	})
	p.options.ReadyTimeout = short
	err := p.WaitForControlPlane(t.Context(), nil)
	NewWithT(t).Expect(err).To(MatchError(And(HavePrefix("wait for the nodes of cluster c: context deadline exceeded\n"), ContainSubstring("etcd is starting"))))
}

func TestWaitForControlPlaneCountsNodes(t *testing.T) {
	p, _ := newProvider(t)
	withNodes(t, p, nodeOf("c-control-plane", corev1.ConditionTrue, ""))
	p.options.ReadyTimeout = short
	NewWithT(t).Expect(p.WaitForControlPlane(t.Context(), nil)).To(MatchError(context.DeadlineExceeded), "the worker has not joined")
}

func TestWaitForControlPlaneReportsErrorsOfTheServer(t *testing.T) {
	p, _ := newProvider(t)
	g := NewWithT(t)
	g.Expect(clientcmd.WriteToFile(twoContexts(), p.options.Kubeconfig)).To(Succeed())
	p.setKubeconfig()
	p.options.ReadyTimeout = short
	g.Expect(p.WaitForControlPlane(t.Context(), nil)).To(MatchError(ContainSubstring("127.0.0.1:1")))
}

func TestWaitForControlPlaneEndsWithItsContext(t *testing.T) {
	p, _ := newProvider(t)
	withNodes(t, p, nodeOf("c-worker", corev1.ConditionFalse, "no CNI plugin"))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user pressed ^C"))
	NewWithT(t).Expect(p.WaitForControlPlane(ctx, nil)).To(MatchError("the user pressed ^C"))
}

func TestKubernetesRestConfigIsNilWithoutACluster(t *testing.T) {
	p, _ := newProvider(t)
	p.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	NewWithT(t).Expect(p.KubernetesRestConfig()).To(BeNil())
}

// nodeRole answers the query of a container's role. kind queries it, because a
// container could be a load balancer.
var nodeRole = fake.Answer{Args: "inspect --format {{ index .Config.Labels", Stdout: "worker\n"}

const containerdConfig = "version = 3\n[plugins.'io.containerd.cri.v1.images']\nsnapshotter = 'overlayfs'\n"

func TestLoadImageArchiveLoadsIntoEveryNode(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: listNodes, Stdout: "c-worker\nc-control-plane\n"},
		nodeRole, fake.Answer{Args: "exec --privileged c-worker containerd", Stdout: containerdConfig},
		fake.Answer{Args: "exec --privileged c-control-plane containerd", Stdout: containerdConfig},
		fake.Answer{Args: "exec --privileged -i"})
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(os.WriteFile(archive, []byte("an archive"), 0o600)).To(Succeed())
	g.Expect(p.LoadImageArchive(t.Context(), archive)).To(Succeed())
	const line = " ctr --namespace=k8s.io images import --all-platforms --digests --snapshotter=overlayfs -"
	g.Expect(f.Calls()).To(ContainElements(
		fake.Call{Line: "docker exec --privileged -i c-worker" + line, Stdin: "an archive"},
		fake.Call{Line: "docker exec --privileged -i c-control-plane" + line, Stdin: "an archive"},
	))
}

func TestLoadImageArchiveErrors(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "images.tar")
	NewWithT(t).Expect(os.WriteFile(archive, nil, 0o600)).To(Succeed())
	for name, test := range map[string]struct {
		answers []fake.Answer
		archive string
		want    string
	}{
		"without an archive": {nil, "/nonexistent/images.tar", "^load an image archive: stat /nonexistent/images.tar: "},
		"without nodes":      {[]fake.Answer{{Args: listNodes}}, archive, "^cluster c has no nodes$"},
		"of the engine": {
			[]fake.Answer{{Args: listNodes, Exit: 1, Stderr: "Cannot connect\n"}}, archive,
			"(?s)^list the nodes of cluster c: .*\nCannot connect$",
		},
		"of a node": {
			[]fake.Answer{{Args: listNodes, Stdout: "c-worker\n"}, nodeRole, {Args: "exec", Exit: 1, Stderr: "no space left\n"}}, archive,
			"(?s)^load images into node c-worker: .*\nno space left$",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, test.answers...)
			NewWithT(t).Expect(p.LoadImageArchive(t.Context(), test.archive)).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

// TestExportLogsEndsWithItsContext cancels the context while a command of kind hangs.
func TestExportLogsEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: "ps", Wait: true, Exit: 1}, fake.Answer{Args: "release", Release: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	failed, folder := make(chan error, 1), t.TempDir()
	go func() { failed <- p.ExportLogs(ctx, folder) }()
	g.Eventually(f.Lines).WithTimeout(lots).Should(ContainElement(HavePrefix("docker ps ")), "kind is running")
	cancel(errors.New("the user pressed ^C"))
	var err error
	g.Eventually(failed).WithTimeout(lots).Should(Receive(&err))
	g.Expect(err).To(MatchError("collect the logs of cluster c: the user pressed ^C"))
	_, err = p.engine.Output(t.Context(), "release")
	g.Expect(err).NotTo(HaveOccurred(), "the command ends")
}
