// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/suite/env"
)

// A cluster has many nodes, and many specs create pods, so that the slices of a driver must not
// be read for each node.
func TestNodesThatAPodHasLost(t *testing.T) {
	const driver = "gpu.example.com"
	var objects []runtime.Object
	for name, pool := range map[string]string{"gpu-1": "gpus", "gpu-2": "gpus", "web": "web"} {
		objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pool": pool}}})
		if pool == "gpus" {
			objects = append(objects, &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.ResourceSliceSpec{
				Driver: driver, NodeName: &name, Pool: resourceapi.ResourcePool{Name: name, ResourceSliceCount: 1}, Devices: []resourceapi.Device{{Name: "gpu"}},
			}})
		}
	}
	pod := func(selector map[string]string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: corev1.PodSpec{NodeSelector: selector}}
	}
	for name, test := range map[string]struct {
		pool  string
		lists int // of slices
		want  string
	}{
		"none":                        {"gpus", 1, ""},
		"those with devices":          {"web", 1, "lets pod one only run on nodes with map[pool:web] (node affinity: nil), and not on [gpu-1 gpu-2]"},
		"nothing changes its nodes":   {"", 0, ""},
		"all, also those without any": {"none", 1, "lets pod one only run on nodes with map[pool:none] (node affinity: nil), and not on [gpu-1 gpu-2]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset(objects...)
			created := pod(nil)
			if test.pool != "" {
				created = pod(map[string]string{"pool": test.pool})
			}
			g.Expect(lostNodes(t.Context(), &env.Env{Client: client}, pod(nil), created, []string{driver})).To(Equal(test.want))
			lists := 0
			for _, action := range client.Actions() {
				if action.Matches("list", "resourceslices") {
					lists++
				}
			}
			g.Expect(lists).To(Equal(test.lists))
		})
	}
}
