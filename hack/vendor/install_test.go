// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

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
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/draconform/draconform/clusters"
)

// pool returns the slices of a pool, of which some may be missing.
func pool(name string, generation int64, count, present int) []runtime.Object {
	var objects []runtime.Object
	for i := range present {
		objects = append(objects, &resourceapi.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d-%d", name, generation, i)},
			Spec: resourceapi.ResourceSliceSpec{
				Driver: drivers[1].driver, Pool: resourceapi.ResourcePool{Name: name, Generation: generation, ResourceSliceCount: int64(count)},
			},
		})
	}
	return objects
}

// daemonSet returns the DaemonSet of a driver.
func daemonSet(wanted, ready int32) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: drivers[1].namespace, Name: drivers[1].daemonSet},
		Status:     appsv1.DaemonSetStatus{DesiredNumberScheduled: wanted, NumberReady: ready},
	}
}

func TestPublished(t *testing.T) {
	failing := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: drivers[1].namespace, Name: "p"},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImageNeverPull", Message: "no image"}},
		}}},
	}
	for name, test := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"all pools":         {append(append([]runtime.Object{daemonSet(2, 2)}, pool("a", 1, 2, 2)...), pool("b", 1, 2, 2)...), ""},
		"no DaemonSet":      {nil, "not found"},
		"no pods":           {[]runtime.Object{daemonSet(0, 0)}, "its DaemonSet has no pods yet"},
		"a pod waits":       {[]runtime.Object{daemonSet(2, 1), failing}, "1 of 2 pods are ready, and there are 0 complete pools; pod p waits: ErrImageNeverPull no image"},
		"a pool is missing": {append([]runtime.Object{daemonSet(2, 2)}, pool("a", 1, 2, 2)...), "2 of 2 pods are ready, and there are 1 complete pools"},
		"a slice is missing": {
			append(append([]runtime.Object{daemonSet(2, 2)}, pool("a", 1, 2, 2)...), pool("b", 1, 2, 1)...), "there are 1 complete pools",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := published(t.Context(), fake.NewClientset(test.objects...), drivers[1])
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
		err := waitUntilPublished(ctx, fake.NewClientset(daemonSet(2, 2)), drivers[1])
		NewWithT(t).Expect(err).To(MatchError(And(ContainSubstring("not published after 1m"), ContainSubstring("there are 0 complete pools"))))
	})
}

func TestCreateCreatesAllObjectsOfAManifest(t *testing.T) {
	g := NewWithT(t)
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind := range scheme.Scheme.AllKnownTypes() {
		scope := meta.RESTScopeRoot
		if kind.Kind == "ServiceAccount" || kind.Kind == "DaemonSet" {
			scope = meta.RESTScopeNamespace
		}
		mapper.Add(kind, scope)
	}
	for _, v := range drivers {
		client := dynamicfake.NewSimpleDynamicClient(scheme.Scheme)
		objects, err := v.objects(source, clusters.Newest())
		g.Expect(err).NotTo(HaveOccurred())
		for _, o := range objects {
			g.Expect(create(t.Context(), client, mapper, o)).To(Succeed())
		}
		g.Expect(client.Actions()).To(HaveLen(len(objects)))
		daemonSets := appsv1.SchemeGroupVersion.WithResource("daemonsets")
		_, err = client.Resource(daemonSets).Namespace(v.namespace).Get(t.Context(), v.daemonSet, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		err = create(t.Context(), client, mapper, objects[0])
		g.Expect(err).To(MatchError(ContainSubstring("create Namespace "+v.namespace)), "it never changes existing objects")
	}
}
