// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The proxy of a service mesh is responsible for a pod that goes on only if the pod would have
// the wanted phase without it: a container that fails because of its device still fails the spec.
func TestContainersOfTheClusterKeepPodsFromEnding(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := func(code int32) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
	}
	for name, test := range map[string]struct {
		want             corev1.PodPhase
		own, more, proxy corev1.ContainerState
		keeper           string
	}{
		"all have succeeded":              {corev1.PodSucceeded, ended(0), ended(0), running, "proxy"},
		"one should have succeeded":       {corev1.PodSucceeded, ended(0), ended(1), running, ""},
		"one should fail, and has":        {corev1.PodFailed, ended(1), ended(0), running, "proxy"},
		"one should fail, and has not":    {corev1.PodFailed, ended(0), ended(0), running, ""},
		"one runs":                        {corev1.PodSucceeded, ended(0), running, running, ""},
		"one of the spec has no state":    {corev1.PodSucceeded, ended(0), corev1.ContainerState{}, running, ""},
		"that of the cluster has no part": {corev1.PodSucceeded, ended(0), ended(0), ended(1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{containersAnnotation: "workload,more"}},
				Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
					{Name: "workload", State: test.own}, {Name: "more", State: test.more}, {Name: "proxy", State: test.proxy},
				}},
			}
			k := keeper{want: test.want}
			k.look(pod)
			NewWithT(t).Expect(k.container).To(Equal(test.keeper))
		})
	}
}
