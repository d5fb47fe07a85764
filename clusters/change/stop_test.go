package change

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fakecmd"
	"github.com/draconform/draconform/clusters/internal/fakeengine"
	"github.com/draconform/draconform/clusters/kind"
)

// newProvider is the provider of cluster c with one worker, whose engine gives these answers.
func newProvider(t *testing.T, answers ...fakecmd.Answer) (*kind.Provider, *fakecmd.Fake) {
	t.Helper()
	g := NewWithT(t)
	e, f := fakeengine.Docker(t, append([]fakecmd.Answer{
		{Args: "ps", Stdout: "c;r1;c-control-plane;running\nc;r1;c-worker;running\n"},
		{Args: "exec c-control-plane cat /etc/kubernetes/admin.conf", Stdout: "{current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: 'https://c'}}]}"},
		{Args: "port c-control-plane 6443/tcp", Stdout: "127.0.0.1:1\n"},
	}, answers...)...)
	p, err := kind.Find(t.Context(), e, "c", "")
	g.Expect(err).NotTo(HaveOccurred())
	f.Forget()
	return p, f
}

// scripts are what nodes were asked to do.
func scripts(f *fakecmd.Fake) []string {
	return slices.DeleteFunc(f.Lines(), func(line string) bool { return !strings.Contains(line, " sh -ec ") })
}

func TestStopTakesTheManifestAwayAndWaits(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fakecmd.Answer{Args: "exec c-control-plane"})
	g.Expect(Stop(t.Context(), p, Instance{Component: Scheduler}, DefaultTimeout)).To(Succeed())
	g.Expect(scripts(f)).To(Equal([]string{
		`docker exec c-control-plane sh -ec [ ! -e "$1" ] || mv "$1" "$2" sh ` +
			"/etc/kubernetes/manifests/kube-scheduler.yaml /etc/kubernetes/draconform-stopped-kube-scheduler.yaml",
		`docker exec c-control-plane sh -ec ! pgrep --exact "$1" sh kube-scheduler|draconform-sche`,
	}))
}

func TestStopOfAKubelet(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fakecmd.Answer{Args: "exec c-worker"})
	g.Expect(Stop(t.Context(), p, worker, DefaultTimeout)).To(Succeed())
	g.Expect(scripts(f)[0]).To(HavePrefix("docker exec c-worker sh -ec systemctl stop kubelet"))
}

func TestKill(t *testing.T) {
	for name, test := range map[string]struct {
		instance   Instance
		node, want string
	}{
		"a static pod":       {Instance{Component: ControllerManager}, "c-control-plane", "kube-controller"},
		"a worker's kubelet": {worker, "c-worker", "kubelet"},
		"a node's proxy":     {Instance{Proxy, "c-worker"}, "c-worker", "kube-proxy"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, f := newProvider(t, fakecmd.Answer{Args: "exec"})
			g.Expect(Kill(t.Context(), p, test.instance, DefaultTimeout)).To(Succeed())
			g.Expect(scripts(f)).To(Equal([]string{"docker exec " + test.node + ` sh -ec pkill --signal KILL --exact "$1" sh ` + test.want}))
		})
	}
}

func TestKillWaitsForTheNextProcess(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, fakecmd.Answer{Args: "exec", Exit: 1})
	ctx, cancel := context.WithCancelCause(t.Context())
	killed := make(chan error, 1)
	go func() { killed <- Kill(ctx, p, Instance{Component: Scheduler}, DefaultTimeout) }()
	g.Eventually(func() int { return len(scripts(f)) }, "30s").Should(BeNumerically(">", 3), "it is tried again")
	cancel(errors.New("enough"))
	g.Expect(<-killed).To(MatchError(And(HavePrefix("kill scheduler: "), ContainSubstring("enough"))))
}

func TestWaitsEndWithTheirTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(context.Context, *kind.Provider, Instance, time.Duration) error
		want string
	}{
		"stop": {Stop, "wait until scheduler has stopped: not so for 50ms"},
		"kill": {Kill, "kill scheduler: no process for 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, fakecmd.Answer{Args: "exec", Has: "mv"}, fakecmd.Answer{Args: "exec", Exit: 1})
			err := test.do(t.Context(), p, Instance{Component: Scheduler}, 50*time.Millisecond)
			NewWithT(t).Expect(err).To(MatchError(HavePrefix(test.want)))
		})
	}
}

// Nothing of another cluster is touched, and nothing that is not known.
func TestInstancesThatAreNotThere(t *testing.T) {
	for name, test := range map[string]struct {
		instance Instance
		want     string
	}{
		"another cluster's node": {Instance{Kubelet, "d-worker"}, `cluster c has no node "d-worker"`},
		"a kubelet of no node":   {Instance{Component: Kubelet}, `cluster c has no node ""`},
		"no component":           {Instance{Component: "etcd"}, `component "etcd" is not known`},
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
	g.Expect(Stop(t.Context(), p, Instance{Proxy, "c-worker"}, DefaultTimeout)).To(MatchError(ContainSubstring("a DaemonSet runs it")))
	g.Expect(Start(t.Context(), p, Instance{Proxy, "c-worker"}, DefaultTimeout)).To(MatchError(ContainSubstring("a DaemonSet runs it")))
	g.Expect(scripts(f)).To(BeEmpty())
}
