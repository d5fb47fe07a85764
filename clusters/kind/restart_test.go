// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientsetfake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/clusters/internal/fake"
)

const healthz = "docker exec c-worker curl --silent --fail --max-time 2 http://127.0.0.1:10248/healthz"

func TestRestartKubeletKillsItAndWaitsForTheNextOne(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, twoClusters, fake.Answer{Args: "exec c-worker"})
	g.Expect(p.RestartKubelet(t.Context(), "c-worker")).To(Succeed())
	g.Expect(f.Lines()[1:]).To(Equal([]string{
		"docker exec c-worker systemctl kill --signal=SIGKILL kubelet", "docker exec c-worker systemctl restart kubelet", healthz,
	}))
}

// The kubelet is started again whatever happens meanwhile.
func TestWithoutKubelet(t *testing.T) {
	ended := []string{"docker exec c-worker systemctl kill --signal=SIGKILL kubelet", "docker exec c-worker systemctl stop kubelet"}
	started := []string{"docker exec c-worker systemctl restart kubelet", healthz}
	t.Run("runs none meanwhile", func(t *testing.T) {
		g := NewWithT(t)
		p, f := newProvider(t, twoClusters, fake.Answer{Args: "exec c-worker"})
		g.Expect(p.WithoutKubelet(t.Context(), "c-worker", func() { g.Expect(f.Lines()[1:]).To(Equal(ended)) })).To(Succeed())
		g.Expect(f.Lines()[1:]).To(Equal(slices.Concat(ended, started)))
	})
	t.Run("after a panic and the end of the context", func(t *testing.T) {
		g := NewWithT(t)
		p, f := newProvider(t, twoClusters, fake.Answer{Args: "exec c-worker"})
		ctx, cancel := context.WithCancel(t.Context())
		g.Expect(func() {
			_ = p.WithoutKubelet(ctx, "c-worker", func() { cancel(); panic("failed") })
		}).To(PanicWith("failed"))
		g.Expect(f.Lines()[1:]).To(Equal(slices.Concat(ended, started)))
	})
	t.Run("of another cluster", func(t *testing.T) {
		g := NewWithT(t)
		p, f := newProvider(t, twoClusters)
		g.Expect(p.WithoutKubelet(t.Context(), "d-worker", func() { t.Error("is called") })).To(MatchError(`cluster c has no node "d-worker"`))
		g.Expect(f.Lines()).To(HaveEach(HavePrefix("docker ps ")))
	})
}

func TestRestartNodeHasNoGracePeriod(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, twoClusters, fake.Answer{Args: "restart"}, fake.Answer{Args: "exec c-worker curl"})
	g.Expect(p.RestartNode(t.Context(), "c-worker")).To(Succeed())
	g.Expect(f.Lines()[1:]).To(Equal([]string{"docker restart -t 0 c-worker", healthz}))
}

// Nodes of other clusters must not be restarted.
func TestRestartOnlyAffectsNodesOfTheCluster(t *testing.T) {
	for _, node := range []string{"d-worker", "x", ""} {
		g := NewWithT(t)
		p, f := newProvider(t, twoClusters)
		want := MatchError(`cluster c has no node "` + node + `"`)
		g.Expect(p.RestartKubelet(t.Context(), node)).To(want)
		g.Expect(p.RestartNode(t.Context(), node)).To(want)
		g.Expect(f.Lines()).To(HaveEach(HavePrefix("docker ps ")))
	}
}

func TestRestartErrors(t *testing.T) {
	gone := fake.Answer{Exit: 1, Stderr: "no such service\n"}
	for name, test := range map[string]struct {
		answers []fake.Answer
		restart func(*Provider, context.Context, string) error
		want    string
	}{
		"of killing": {[]fake.Answer{twoClusters, gone}, (*Provider).RestartKubelet, "^kill the kubelet of node c-worker: .*: no such service$"},
		"of starting": {
			[]fake.Answer{twoClusters, {Args: "exec c-worker systemctl kill"}, gone}, (*Provider).RestartKubelet,
			"^start the kubelet of node c-worker: .*: no such service$",
		},
		"of the node": {[]fake.Answer{twoClusters, gone}, (*Provider).RestartNode, "^restart node c-worker: .*: no such service$"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, test.answers...)
			NewWithT(t).Expect(test.restart(p, t.Context(), "c-worker")).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

// The log is that of the container if that does not run.
func TestRestartReportsTheKubeletsLog(t *testing.T) {
	for name, test := range map[string]struct {
		answers []fake.Answer
		want    string
	}{
		"the kubelet does not run":   {[]fake.Answer{{Args: "exec c-worker journalctl", Stdout: "kubelet: what went wrong\n"}}, `kubelet: what went wrong$`},
		"the container does not run": {[]fake.Answer{{Args: "exec c-worker journalctl", Exit: 1, Stderr: "not running\n"}, {Args: "logs --tail 5 c-worker", Stdout: "too many open files\n"}}, `.*not running.*\ntoo many open files$`},
	} {
		t.Run(name, func(t *testing.T) { testRestartReports(t, test.want, test.answers...) })
	}
}

func testRestartReports(t *testing.T, want string, logs ...fake.Answer) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	p, f := newProvider(t, append([]fake.Answer{twoClusters, {Args: "restart"}, {Args: "exec c-worker curl", Exit: 7, Stderr: "connection refused\n"}}, logs...)...)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	waiting.Go(func() {
		// The second request shows that the response to the first was
		// processed.
		_ = wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			return strings.Count(strings.Join(f.Lines(), "\n"), "exec c-worker curl") > 1, nil
		})
		cancel(errors.New("no more time"))
	})
	err := p.RestartNode(ctx, "c-worker")
	g.Expect(err).To(MatchError(MatchRegexp(`(?s)^wait for the kubelet of node c-worker: no more time: .*connection refused; last lines of its log:\n` + want)))
}

const stopScheduler = "exec c-control-plane pkill --signal TERM --exact kube-scheduler|draconform-sche"

// leads returns a client that reads leases with these holders, one after the
// other.
func leads(holders ...string) *clientsetfake.Clientset {
	client := clientsetfake.NewClientset()
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		lease := &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: &holders[0]}}
		holders = holders[min(1, len(holders)-1):]
		return true, lease, nil
	})
	return client
}

func TestRestartSchedulerWaitsForAnotherProcess(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, twoClusters, fake.Answer{Args: stopScheduler})
	client := leads("first", "first", "", "second")
	g.Expect(p.restartScheduler(t.Context(), client)).To(Succeed())
	g.Expect(f.Lines()[1:]).To(Equal([]string{"docker " + stopScheduler}))
	g.Expect(client.Actions()).To(HaveLen(4), "the leader before, then until there is another one")
}

func TestRestartSchedulerErrors(t *testing.T) {
	gone := fake.Answer{Exit: 1, Stderr: "no such thing\n"}
	for name, test := range map[string]struct {
		answers []fake.Answer
		want    string
	}{
		"of another cluster": {[]fake.Answer{{Args: listOurs, Stdout: "d;r2;d-control-plane;running\n"}}, `^cluster c has no node "c-control-plane"$`},
		"of stopping":        {[]fake.Answer{twoClusters, gone}, "^stop the scheduler of node c-control-plane: .*: no such thing$"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, test.answers...)
			NewWithT(t).Expect(p.restartScheduler(t.Context(), leads("first"))).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

func TestRestartSchedulerReportsAMissingLeader(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, twoClusters, fake.Answer{Args: stopScheduler})
	ctx, cancel := context.WithCancelCause(t.Context())
	client, looks := leads("first"), 0
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		if looks++; looks == 3 {
			cancel(errors.New("enough"))
		}
		return false, nil, nil
	})
	g.Expect(p.restartScheduler(ctx, client)).To(MatchError("wait until another scheduler leads than first: enough: its process does not lead"))
}
