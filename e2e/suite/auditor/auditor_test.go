// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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
func TestAlarmIfTheLastAuditFails(t *testing.T) {
	forbidden := errors.New("forbidden")
	const alarm = "the cluster could not be audited: read the allocations: "
	for name, test := range map[string]struct {
		first, last error
		once        bool // only the first attempt of the last audit
		want        []string
	}{
		"none":                      {},
		"the first":                 {first: forbidden},
		"the last":                  {last: forbidden, want: []string{alarm + "forbidden"}},
		"one attempt of the last":   {last: forbidden, once: true},
		"the run was interrupted":   {last: context.Canceled},
		"the spec's time had ended": {last: context.DeadlineExceeded, want: []string{alarm + "context deadline exceeded"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset()
			var audits, attempts atomic.Int32
			var stopping atomic.Bool
			watching := make(chan struct{})
			client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
				switch n := audits.Add(1); {
				case n == 1:
					return test.first != nil, nil, test.first
				case stopping.Load() && test.once && attempts.Add(1) > 1:
				case stopping.Load():
					return test.last != nil, nil, test.last
				case n == 2:
					close(watching)
				}
				return false, nil, nil
			})
			e := &env.Env{Client: client, Namespace: "spec-1", Timeouts: env.Timeouts{Response: time.Second}}
			auditor := Start(t.Context(), e, env.Target{})
			<-watching
			stopping.Store(true)
			g.Expect(auditor.Stop(t.Context())).To(ConsistOf(test.want))
		})
	}
}
