// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/suite/env"
)

// runIn returns a run whose lease is short. A busy machine could not renew it in time, so
// that such runs need a time of their own.
func runIn(client kubernetes.Interface, id string) *Guest {
	return New(Config{
		Client: client, Namespace: "team", Given: true, RunID: id, Labels: map[string]string{"draconform.dev/run": id}, Timeouts: env.DefaultTimeouts(),
		lease: leaseTimes{duration: 2 * time.Second, renew: time.Second, retry: 100 * time.Millisecond},
	})
}

func teamCluster() *fake.Clientset {
	return fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}})
}

func unexpected(t *testing.T) context.CancelCauseFunc {
	return func(err error) {
		if err != nil {
			t.Errorf("the lease was lost: %v", err)
		}
	}
}

func TestOnlyOneRunUsesAGivenNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		client := teamCluster()
		first, second := runIn(client, "first"), runIn(client, "second")
		waitedFor := ""
		second.config.Waiting = func(holder string) { waitedFor = holder }
		g.Expect(first.Open(t.Context(), unexpected(t))).To(Succeed())
		lease, err := client.CoordinationV1().Leases("team").Get(t.Context(), leaseName, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(lease.Labels).To(HaveKeyWithValue("draconform.dev/run", "first"), "so that it can be cleaned up")

		g.Expect(second.Open(t.Context(), unexpected(t))).To(MatchError(HavePrefix("namespace team is in use by run first, whose lease draconform was renewed within the last ")))
		g.Expect(waitedFor).To(Equal("first"))

		g.Expect(first.Close(t.Context())).To(Succeed())
		_, err = client.CoordinationV1().Leases("team").Get(t.Context(), leaseName, metav1.GetOptions{})
		g.Expect(err).To(Satisfy(apierrors.IsNotFound))
		third := runIn(client, "third")
		g.Expect(third.Open(t.Context(), unexpected(t))).To(Succeed())
		g.Expect(third.Close(t.Context())).To(Succeed())
	})
}

func TestRunTakesOverTheLeaseOfACrashedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		client := teamCluster()
		crashed := runIn(client, "crashed")
		g.Expect(crashed.Open(t.Context(), unexpected(t))).To(Succeed())
		stored, err := client.CoordinationV1().Leases("team").Get(t.Context(), leaseName, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(crashed.Close(t.Context())).To(Succeed())
		stored.ResourceVersion = ""
		_, err = client.CoordinationV1().Leases("team").Create(t.Context(), stored, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())

		next := runIn(client, "next")
		g.Expect(next.Open(t.Context(), unexpected(t))).To(Succeed())
		got, err := client.CoordinationV1().Leases("team").Get(t.Context(), leaseName, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Labels).To(HaveKeyWithValue("draconform.dev/run", "next"))
		g.Expect(next.Close(t.Context())).To(Succeed())
	})
}

func TestRunEndsIfItLosesItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		client := teamCluster()
		run := runIn(client, "first")
		ctx, lost := context.WithCancelCause(t.Context())
		g.Expect(run.Open(ctx, lost)).To(Succeed())
		client.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("unreachable") })
		<-ctx.Done()
		g.Expect(context.Cause(ctx)).To(MatchError(ContainSubstring("the lease on namespace team could not be renewed")))
		run.lease.stop()
	})
}

func TestGivenNamespaceMustExist(t *testing.T) {
	run := runIn(fake.NewClientset(), "first")
	NewWithT(t).Expect(run.Open(t.Context(), unexpected(t))).To(MatchError(`get the given namespace: namespaces "team" not found`))
}

func TestForbiddenLeases(t *testing.T) {
	g := NewWithT(t)
	client := teamCluster()
	client.PrependReactor("*", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), leaseName, errors.New("no rights"))
	})
	g.Expect(runIn(client, "first").Open(t.Context(), unexpected(t))).To(MatchError(And(ContainSubstring("acquire the lease on namespace team"), ContainSubstring("no rights"))))
}
