// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

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
)

func TestScheduleProbeWaitsForTheScheduler(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	reads := 0
	client.PrependReactor("get", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if reads++; reads < 2 {
			return false, nil, nil
		}
		found, err := client.Tracker().Get(action.GetResource(), action.GetNamespace(), action.(clienttesting.GetAction).GetName())
		if err != nil {
			return true, nil, err
		}
		pod := found.(*corev1.Pod).DeepCopy()
		g.Expect(pod.Spec.SchedulerName).To(Equal("mine"))
		pod.Spec.NodeName = "draconform-probe"
		return true, pod, nil
	})
	g.Expect(scheduleProbe(t.Context(), client, "mine")).To(Succeed())
	g.Expect(reads).To(BeNumerically(">=", 2))
	pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pods.Items).To(BeEmpty())
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(nodes.Items).To(BeEmpty())
}

func TestScheduleProbeEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		cancel(stopped)
		return false, nil, nil
	})
	g.Expect(scheduleProbe(ctx, client, "")).To(MatchError(stopped))
	pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pods.Items).To(BeEmpty())
}

// What was not created need not be deleted.
func TestScheduleProbeReportsOnlyWhyItFailed(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	client.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("pods are not admitted")
	})
	g.Expect(scheduleProbe(t.Context(), client, "")).To(MatchError("pods are not admitted"))
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(nodes.Items).To(BeEmpty())
}

// A cloud may have configured the scheduler of its clusters, so that other criteria than those
// of lists decide between nodes.
func TestSchedulersThatSomebodyElseConfigures(t *testing.T) {
	for name, test := range map[string]struct {
		config Config
		want   bool
	}{
		"kind":                 {Config{Provider: Kind}, false},
		"a control plane":      {Config{Provider: ControlPlane}, false},
		"a configuration":      {Config{Provider: ControlPlane, SchedulerConfig: "config.yaml"}, true},
		"another scheduler":    {Config{Provider: Kind, SchedulerName: "mine"}, true},
		"a cluster of a user":  {Config{Provider: Existing}, true},
		"a kind cluster of it": {Config{Provider: Existing, KindCluster: "draconform-1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect((&plan{Config: test.config}).hasForeignScheduler()).To(Equal(test.want))
		})
	}
}
