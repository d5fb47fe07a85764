// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
)

var boards = Driver{Name: "boards.example.com", Namespace: "boards-driver", DaemonSet: "kubelet-plugin"}

// pool returns the slices of a pool of two, of which some may be missing.
func pool(name string, present int) []runtime.Object {
	var objects []runtime.Object
	for i := range present {
		objects = append(objects, &resourceapi.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", name, i)},
			Spec: resourceapi.ResourceSliceSpec{
				Driver: boards.Name, Pool: resourceapi.ResourcePool{Name: name, Generation: 1, ResourceSliceCount: 2},
			},
		})
	}
	return objects
}

// daemonSet returns the DaemonSet of a driver.
func daemonSet(wanted, ready int32) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: boards.Namespace, Name: boards.DaemonSet},
		Status:     appsv1.DaemonSetStatus{DesiredNumberScheduled: wanted, NumberReady: ready},
	}
}

func TestPublished(t *testing.T) {
	failing := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: boards.Namespace, Name: "p"},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImageNeverPull", Message: "no image"}},
		}}},
	}
	for name, test := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"all pools":         {append(append([]runtime.Object{daemonSet(2, 2)}, pool("a", 2)...), pool("b", 2)...), ""},
		"no DaemonSet":      {nil, "not found"},
		"no pods":           {[]runtime.Object{daemonSet(0, 0)}, "its DaemonSet has no pods yet"},
		"a pod waits":       {[]runtime.Object{daemonSet(2, 1), failing}, "1 of 2 pods are ready, and there are 0 complete pools; pod p waits: ErrImageNeverPull no image"},
		"a pool is missing": {append([]runtime.Object{daemonSet(2, 2)}, pool("a", 2)...), "2 of 2 pods are ready, and there are 1 complete pools"},
		"a slice is missing": {
			append(append([]runtime.Object{daemonSet(2, 2)}, pool("a", 2)...), pool("b", 1)...), "there are 1 complete pools",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := boards.published(t.Context(), fake.NewClientset(test.objects...))
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestWaitUntilPublishedEndsWithTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, fmt.Errorf("not published after 1m"))
		defer cancel()
		err := boards.WaitUntilPublished(ctx, fake.NewClientset(daemonSet(2, 2)))
		NewWithT(t).Expect(err).To(MatchError(And(ContainSubstring("not published after 1m"), ContainSubstring("there are 0 complete pools"))))
	})
}
