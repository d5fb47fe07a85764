// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
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

// silent is an API server that never answers.
type silent struct{}

func (silent) RoundTrip(request *http.Request) (*http.Response, error) {
	<-request.Context().Done()
	return nil, request.Context().Err()
}

// A spec has little time to end after a failure, in which the reasons of all of its pods
// are asked for.
func TestReasonsOfSeveralPodsHaveOneAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://silent.example.com", Transport: silent{}, QPS: -1})
		g.Expect(err).NotTo(HaveOccurred())
		e := &env.Env{Client: client, ForReasons: env.NewAllowance(5 * time.Second)}
		var all []error
		for _, name := range []string{"first", "second", "third"} {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Message: name + " fits no node"}}
			all = append(all, notRunning(t.Context(), e, pod, "pod %s is not scheduled", name))
		}
		started := time.Now()
		g.Expect(errors.Join(all...)).To(MatchError(And(ContainSubstring("first fits no node"), ContainSubstring("third fits no node"))))
		g.Expect(time.Since(started)).To(Equal(5 * time.Second))
	})
}

func TestExpectationHasTheErrorThatItIsAbout(t *testing.T) {
	allocated, ok := errors.AsType[allocatedError](errors.Join(&expectationError{"pod late should stay", allocatedError("it was allocated")}))
	NewWithT(t).Expect(ok).To(BeTrue())
	NewWithT(t).Expect(allocated.Error()).To(Equal("it was allocated"))
}
