package kind

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/clusters/internal/fakecmd"
)

const healthz = "docker exec c-worker curl --silent --fail --max-time 2 http://127.0.0.1:10248/healthz"

func TestRestartKubeletKillsItAndWaitsForTheNextOne(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, twoClusters, fakecmd.Answer{Args: "exec c-worker"})
	g.Expect(p.RestartKubelet(t.Context(), "c-worker")).To(Succeed())
	g.Expect(f.Lines()[1:]).To(Equal([]string{
		"docker exec c-worker systemctl kill --signal=SIGKILL kubelet", "docker exec c-worker systemctl restart kubelet", healthz,
	}))
}

func TestRestartNodeGivesItNoTime(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, twoClusters, fakecmd.Answer{Args: "restart"}, fakecmd.Answer{Args: "exec c-worker curl"})
	g.Expect(p.RestartNode(t.Context(), "c-worker")).To(Succeed())
	g.Expect(f.Lines()[1:]).To(Equal([]string{"docker restart -t 0 c-worker", healthz}))
}

// Another cluster's node is not ours to touch.
func TestRestartTouchesNodesOfTheClusterOnly(t *testing.T) {
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
	gone := fakecmd.Answer{Exit: 1, Stderr: "no such service\n"}
	for name, test := range map[string]struct {
		answers []fakecmd.Answer
		restart func(*Provider, context.Context, string) error
		want    string
	}{
		"of killing": {[]fakecmd.Answer{twoClusters, gone}, (*Provider).RestartKubelet, "^kill the kubelet of node c-worker: .*: no such service$"},
		"of starting": {
			[]fakecmd.Answer{twoClusters, {Args: "exec c-worker systemctl kill"}, gone}, (*Provider).RestartKubelet,
			"^start the kubelet of node c-worker: .*: no such service$",
		},
		"of the node": {[]fakecmd.Answer{twoClusters, gone}, (*Provider).RestartNode, "^restart node c-worker: .*: no such service$"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, test.answers...)
			NewWithT(t).Expect(test.restart(p, t.Context(), "c-worker")).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

func TestRestartSaysWhyTheKubeletDoesNotAnswer(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	p, f := newProvider(t, twoClusters, fakecmd.Answer{Args: "restart"},
		fakecmd.Answer{Args: "exec c-worker curl", Exit: 7, Stderr: "connection refused\n"},
		fakecmd.Answer{Args: "exec c-worker journalctl", Stdout: "kubelet: what went wrong\n"})
	var waiting sync.WaitGroup
	defer waiting.Wait()
	waiting.Go(func() {
		// The second question shows that the first is answered.
		_ = wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			return strings.Count(strings.Join(f.Lines(), "\n"), "exec c-worker curl") > 1, nil
		})
		cancel(errors.New("no more time"))
	})
	err := p.RestartNode(ctx, "c-worker")
	g.Expect(err).To(MatchError(MatchRegexp(`(?s)^wait for the kubelet of node c-worker: no more time: .*connection refused; its last lines:\nkubelet: what went wrong$`)))
}
