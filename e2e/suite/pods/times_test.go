// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Each container that the spec gave a pod must have started, also one that its status lacks.
// Containers that the cluster has added need not.
func TestStartsOfAllContainersOfTheSpec(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{StartedAt: at}}
	for name, test := range map[string]struct {
		init, main []corev1.ContainerStatus
		starts     int
		missing    string
	}{
		"all":               {[]corev1.ContainerStatus{{Name: "first", State: ended}}, []corev1.ContainerStatus{{Name: "main", State: running}, {Name: "added", State: running}}, 3, ""},
		"added one waits":   {[]corev1.ContainerStatus{{Name: "first", State: ended}}, []corev1.ContainerStatus{{Name: "main", State: running}, {Name: "added"}}, 2, ""},
		"init has no state": {nil, []corev1.ContainerStatus{{Name: "main", State: running}}, 0, "container first of pod pod should have started"},
		"init waits":        {[]corev1.ContainerStatus{{Name: "first"}}, []corev1.ContainerStatus{{Name: "main", State: running}}, 0, "container first of pod pod should have started"},
		"main has no state": {[]corev1.ContainerStatus{{Name: "first", State: ended}}, []corev1.ContainerStatus{{Name: "added", State: running}}, 0, "container main of pod pod should have started"},
	} {
		t.Run(name, func(t *testing.T) {
			RegisterTestingT(t)
			g := NewWithT(t)
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "ours"}, Spec: corev1.PodSpec{
				InitContainers: []corev1.Container{{Name: "first"}}, Containers: []corev1.Container{{Name: "main"}},
			}}
			stateContainers(pod)
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "added"})
			pod.Status = corev1.PodStatus{InitContainerStatuses: test.init, ContainerStatuses: test.main}
			e := &env.Env{Client: fake.NewClientset(pod), Namespace: "ours"}
			var starts []time.Time
			failure := InterceptGomegaFailure(func() { starts = GetContainerStarts(t.Context(), e, "pod") })
			if test.missing != "" {
				g.Expect(failure).To(MatchError(ContainSubstring(test.missing)))
				return
			}
			g.Expect(failure).NotTo(HaveOccurred())
			g.Expect(starts).To(HaveLen(test.starts))
		})
	}
}
