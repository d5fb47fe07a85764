package auditor

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/suite/env"
)

// A failed last audit raises an alarm, because the end of the spec is not
// covered.
func TestAuditSaysWhichLooksFailed(t *testing.T) {
	refused := errors.New("refused")
	const alarm = "the cluster could not be audited: read what is allocated: "
	for name, test := range map[string]struct {
		first, last error
		once        bool // only the first attempt of the last audit
		want        []string
	}{
		"none":                      {},
		"the first":                 {first: refused},
		"the last":                  {last: refused, want: []string{alarm + "refused"}},
		"one try of the last":       {last: refused, once: true},
		"the run was interrupted":   {last: context.Canceled},
		"the spec's time had ended": {last: context.DeadlineExceeded, want: []string{alarm + "context deadline exceeded"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset()
			var looks, tries atomic.Int32
			var over atomic.Bool
			watching := make(chan struct{})
			client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
				switch n := looks.Add(1); {
				case n == 1:
					return test.first != nil, nil, test.first
				case over.Load() && test.once && tries.Add(1) > 1:
				case over.Load():
					return test.last != nil, nil, test.last
				case n == 2:
					close(watching)
				}
				return false, nil, nil
			})
			e := &env.Env{Client: client, Namespace: "spec-1", Timeouts: env.Timeouts{Unschedulable: time.Second}}
			watched := Start(t.Context(), e, env.Target{})
			<-watching
			over.Store(true)
			g.Expect(watched.Stop(t.Context())).To(ConsistOf(test.want))
		})
	}
}
