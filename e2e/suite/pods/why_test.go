// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Most of the errors of a wait are dropped. The last one is printed when its context has
// ended.
func TestEventsAreReadForTheTextOfAnErrorOnly(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset(&corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "one"}, Reason: "FailedScheduling", Message: "no device fits"})
	lists := 0
	client.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
		lists++
		return false, nil, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "late"}}
	err := notRunning(ctx, &env.Env{Client: client}, pod, "pod %s is not scheduled", "late")
	err = errors.Join(nil, &expectationError{"pod late should run", err})
	cancel()
	g.Expect(lists).To(BeZero())
	for range 2 {
		g.Expect(err).To(MatchError("pod late should run: pod late is not scheduled: last event: FailedScheduling: no device fits"))
	}
	g.Expect(lists).To(Equal(1))
}

func TestExpectationHasTheErrorThatItIsAbout(t *testing.T) {
	allocated, ok := errors.AsType[allocatedError](errors.Join(&expectationError{"pod late should stay", allocatedError("it was allocated")}))
	NewWithT(t).Expect(ok).To(BeTrue())
	NewWithT(t).Expect(allocated.Error()).To(Equal("it was allocated"))
}
