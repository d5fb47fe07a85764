// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/skew"
)

// newProvider returns the provider of cluster c with one worker. Its engine
// returns the given answers, and its API server is not reachable.
func newProvider(t *testing.T, answers ...fake.Answer) (*kind.Provider, *fake.Commands) {
	t.Helper()
	return newProviderOf(t, "https://127.0.0.1:1", answers...)
}

// newProviderOf returns a provider with an API server.
func newProviderOf(t *testing.T, server string, answers ...fake.Answer) (*kind.Provider, *fake.Commands) {
	t.Helper()
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // contains the locks of clusters
	e, f := fake.Docker(t, engine.Find, withNodes(server, answers)...)
	p, err := kind.Find(t.Context(), e, "c", "")
	g.Expect(err).NotTo(HaveOccurred())
	f.Forget()
	return p, f
}

// withNodes adds the answers of the engine for the cluster's nodes and
// kubeconfig.
func withNodes(server string, answers []fake.Answer) []fake.Answer {
	const admin = "{current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: 'https://c', insecure-skip-tls-verify: true}}]}"
	return append([]fake.Answer{
		{Args: "ps", Stdout: "c;r1;c-control-plane;running\nc;r1;c-worker;running\n"},
		{Args: "exec c-control-plane cat /etc/kubernetes/admin.conf", Stdout: admin},
		{Args: "port c-control-plane 6443/tcp", Stdout: strings.TrimPrefix(server, "https://") + "\n"},
	}, answers...)
}

// scripts returns the scripts that ran on nodes.
func scripts(f *fake.Commands) []string {
	return slices.DeleteFunc(f.Lines(), func(line string) bool { return !strings.Contains(line, " sh -ec ") })
}

func TestStopRemovesTheManifestAndWaits(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: "exec c-control-plane"})
	g.Expect(Stop(t.Context(), p, skew.Instance{Component: skew.Scheduler}, DefaultTimeout)).To(Succeed())
	g.Expect(scripts(f)).To(Equal([]string{
		"docker exec c-control-plane sh -ec " + staticpod.Stop + " sh / kube-scheduler",
		`docker exec c-control-plane sh -ec ! pgrep --exact "$1" sh kube-scheduler|draconform-sche`,
	}))
}

func TestStopOfAKubelet(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: "exec c-worker"})
	g.Expect(Stop(t.Context(), p, worker, DefaultTimeout)).To(Succeed())
	g.Expect(scripts(f)[0]).To(Equal("docker exec c-worker sh -ec " + staticpod.Locked + "systemctl stop kubelet sh /"))
}

func TestKill(t *testing.T) {
	for name, test := range map[string]struct {
		instance   skew.Instance
		node, want string
	}{
		"a static pod":       {skew.Instance{Component: skew.ControllerManager}, "c-control-plane", "kube-controller"},
		"a worker's kubelet": {worker, "c-worker", "kubelet"},
		"a node's proxy":     {skew.Instance{Component: skew.Proxy, Node: "c-worker"}, "c-worker", "kube-proxy"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, f := newProvider(t, fake.Answer{Args: "exec"})
			g.Expect(Kill(t.Context(), p, test.instance, DefaultTimeout)).To(Succeed())
			g.Expect(scripts(f)).To(Equal([]string{"docker exec " + test.node + ` sh -ec pkill --signal KILL --exact "$1" sh ` + test.want}))
		})
	}
}

func TestKillWaitsForTheNextProcess(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fake.Answer{Args: "exec", Exit: 1})
	ctx, cancel := context.WithCancelCause(t.Context())
	killed := make(chan error, 1)
	go func() { killed <- Kill(ctx, p, skew.Instance{Component: skew.Scheduler}, DefaultTimeout) }()
	g.Eventually(func() int { return len(scripts(f)) }, "30s").Should(BeNumerically(">", 3), "it is retried")
	cancel(errors.New("enough"))
	g.Expect(<-killed).To(MatchError(And(HavePrefix("kill scheduler: "), ContainSubstring("enough"))))
}

func TestWaitsEndWithTheirTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(context.Context, *kind.Provider, skew.Instance, time.Duration) error
		want string
	}{
		"stop": {Stop, "wait until scheduler has stopped: timed out after 50ms"},
		"kill": {Kill, "kill scheduler: no process within 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, fake.Answer{Args: "exec", Has: "mv"}, fake.Answer{Args: "exec", Exit: 1})
			err := test.do(t.Context(), p, skew.Instance{Component: skew.Scheduler}, 50*time.Millisecond)
			NewWithT(t).Expect(err).To(MatchError(HavePrefix(test.want)))
		})
	}
}

// Unknown instances and instances of other clusters are rejected without
// changing anything.
func TestUnknownInstancesAreRejected(t *testing.T) {
	for name, test := range map[string]struct {
		instance skew.Instance
		want     string
	}{
		"another cluster's node": {skew.Instance{Component: skew.Kubelet, Node: "d-worker"}, `cluster c has no node "d-worker"`},
		"a kubelet of no node":   {skew.Instance{Component: skew.Kubelet}, `cluster c has no node ""`},
		"no component":           {skew.Instance{Component: "etcd"}, `component "etcd" is not known`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, f := newProvider(t)
			want := MatchError(ContainSubstring(test.want))
			g.Expect(Stop(t.Context(), p, test.instance, DefaultTimeout)).To(want)
			g.Expect(Start(t.Context(), p, test.instance, DefaultTimeout)).To(want)
			g.Expect(Kill(t.Context(), p, test.instance, DefaultTimeout)).To(want)
			g.Expect(scripts(f)).To(BeEmpty())
		})
	}
}

func TestTheProxyCannotBeStopped(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t)
	g.Expect(Stop(t.Context(), p, skew.Instance{Component: skew.Proxy, Node: "c-worker"}, DefaultTimeout)).To(MatchError(ContainSubstring("a DaemonSet runs it")))
	g.Expect(Start(t.Context(), p, skew.Instance{Component: skew.Proxy, Node: "c-worker"}, DefaultTimeout)).To(MatchError(ContainSubstring("a DaemonSet runs it")))
	g.Expect(scripts(f)).To(BeEmpty())
}

// The log of a kubelet that does not start contains the reason.
func TestStartReportsTheLogOfAKubeletThatDoesNotStart(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/nodes/c-worker" {
			cancel(errors.New("no more time"))
		}
		http.Error(w, "starting", http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	p, _ := newProviderOf(t, server.URL,
		fake.Answer{Args: "exec c-worker", Has: "is-active", Stdout: "Kubernetes v1.36.3\nstopped\n" + kubeletYAML},
		fake.Answer{Args: "exec c-worker", Has: "systemctl start kubelet", Stdout: "1000\n"},
		fake.Answer{Args: "exec c-worker", Has: "journalctl", Stdout: "no such option\n"})
	g.Expect(Start(ctx, p, worker, DefaultTimeout)).To(MatchError(And(
		HavePrefix("wait until kubelet of c-worker is ready: no more time: "), HaveSuffix("; last lines of its log:\nno such option"))))
}
