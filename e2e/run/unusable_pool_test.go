// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

func TestFindUnusablePool(t *testing.T) {
	slice := func(name string, devices ...string) *resourceapi.ResourceSlice {
		s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}}
		s.Spec.Driver, s.Spec.Pool = "d.example.com", resourceapi.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 2}
		for _, device := range devices {
			s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: device})
		}
		return s
	}
	for name, test := range map[string]struct {
		slices []*resourceapi.ResourceSlice
		// where sets the nodes of the slices.
		where func(*resourceapi.ResourceSliceSpec)
		want  string
	}{
		"whole":              {[]*resourceapi.ResourceSlice{slice("a", "x"), slice("b", "y")}, onAllNodes, ""},
		"incomplete":         {[]*resourceapi.ResourceSlice{slice("a", "x")}, onAllNodes, "pool p of driver d.example.com is not: ResourceSlice a, spec.pool.resourceSliceCount is 2, but pool p has 1 slices"},
		"the same name":      {[]*resourceapi.ResourceSlice{slice("a", "x"), slice("b", "x")}, onAllNodes, `pool p of driver d.example.com is not: ResourceSlice b, spec.devices[0].name device "x" is also in ResourceSlice a`},
		"of one node":        {[]*resourceapi.ResourceSlice{slice("a", "x")}, onOneNode, ""},
		"a device has nodes": {[]*resourceapi.ResourceSlice{slice("a", "x")}, deviceOnAllNodes, "pool p of driver d.example.com is not: ResourceSlice a"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset()
			for _, s := range test.slices {
				test.where(&s.Spec)
				g.Expect(client.Tracker().Add(s)).To(Succeed())
			}
			got, err := findUnusablePool(t.Context(), client)
			g.Expect(err).NotTo(HaveOccurred())
			if test.want == "" {
				g.Expect(got).To(BeEmpty())
			}
			g.Expect(got).To(HavePrefix(test.want))
		})
	}
}

func onAllNodes(spec *resourceapi.ResourceSliceSpec) { spec.AllNodes = ptr.To(true) }

func onOneNode(spec *resourceapi.ResourceSliceSpec) { spec.NodeName = ptr.To("n") }

func deviceOnAllNodes(spec *resourceapi.ResourceSliceSpec) {
	spec.PerDeviceNodeSelection, spec.Devices[0].AllNodes = ptr.To(true), ptr.To(true)
}
