// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/e2e/internal/allocation"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// answers is an index and an allocator that always gives the same answers.
type answers struct{ update, fits, allocate error }

func (a answers) For(allocation.State) (allocation.Allocator, error) { return a, a.update }

func (a answers) Fits(*corev1.Node, []*resourceapi.ResourceClaim) (bool, error) { return false, a.fits }

func (a answers) Allocate(*corev1.Node, []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	return nil, a.allocate
}

var namespace = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}

// claim has a request with two alternatives.
var claim = &resourceapi.ResourceClaim{
	ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "claim"},
	Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{
		{Name: "either", FirstAvailable: []resourceapi.DeviceSubRequest{{Name: "one"}, {Name: "other"}}},
	}}},
}

// clusterWith returns a cluster whose allocator gives these answers.
func clusterWith(t *testing.T, a answers, mistakes ...fakecluster.ComponentMistakes) *fakecluster.Cluster {
	t.Helper()
	cluster, err := fakecluster.New(fakecluster.Options{
		Allocator: func(allocator.Config) (allocation.Index, error) { return a, nil }, Mistakes: fakecluster.MistakesOf(mistakes...),
		Objects: []runtime.Object{namespace, claim.DeepCopy()},
	})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return cluster
}

// createPod creates a pod with the claim, and returns what has become of it.
func createPod(ctx context.Context, c *fakecluster.Cluster) (*corev1.Pod, error) {
	pods := c.Client().CoreV1().Pods(claim.Namespace)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod"},
		Spec: corev1.PodSpec{
			Containers:     []corev1.Container{{Name: "container"}},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "claim", ResourceClaimName: &claim.Name}},
		},
	}
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	return pods.Get(ctx, "pod", metav1.GetOptions{})
}

func TestPodIsUnschedulableIfClaimsDoNotFit(t *testing.T) {
	for name, a := range map[string]answers{
		"on a node":   {allocate: &allocation.NoFit{Reason: "there is no room", OnNode: true}},
		"on any node": {allocate: &allocation.NoFit{Reason: "there is no room"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cluster := clusterWith(t, a)
			pod, err := createPod(t.Context(), cluster)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(pod.Status.Conditions).To(HaveLen(1))
			g.Expect(pod.Status.Conditions[0].Reason).To(Equal(corev1.PodReasonUnschedulable))
			g.Expect(pod.Status.Conditions[0].Message).To(ContainSubstring("there is no room"))
			g.Expect(cluster.Err()).NotTo(HaveOccurred())
		})
	}
}

// A failure of the allocator is none of the cluster, which specs would report.
func TestFailureOfTheAllocatorIsAnErrorOfTheSimulation(t *testing.T) {
	broken := errors.New("the allocator has ended")
	for name, test := range map[string]struct {
		answers  answers
		mistakes []fakecluster.ComponentMistakes
	}{
		"when it is updated": {answers: answers{update: broken}},
		"when it allocates":  {answers: answers{allocate: broken}},
		"when the scheduler tries alternatives": {
			answers{fits: broken}, []fakecluster.ComponentMistakes{fakecluster.PrioritizedListMistakes{NeverYields: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cluster := clusterWith(t, test.answers, test.mistakes...)
			g.Expect(func() { _, _ = createPod(t.Context(), cluster) }).To(PanicWith(ContainSubstring("schedule pod pod: the allocator has ended")))
			g.Expect(cluster.Err()).To(MatchError("fake cluster: schedule pod pod: the allocator has ended"))
			g.Expect(errors.Is(cluster.Err(), broken)).To(BeTrue())
		})
	}
}
