// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package oracle_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/oracle"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// numbered returns a problem with devices that have the given values of the
// attribute n, and with requests for one device each with the given selectors.
func numbered(values []int64, selectors ...string) *problem.Problem {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s"}}
	slice.Spec.Driver, slice.Spec.AllNodes = "d", ptr.To(true)
	slice.Spec.Pool = resourceapi.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1}
	for i, value := range values {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{
			Name:       fmt.Sprint(i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"n": {IntValue: &value}},
		})
	}
	claim := &resourceapi.ResourceClaim{}
	for i, expression := range selectors {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
			Name: fmt.Sprint("r", i), Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: "c", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
				Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}},
			},
		})
	}
	return &problem.Problem{
		Nodes: []*corev1.Node{{}}, Classes: []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "c"}}},
		Slices: []*resourceapi.ResourceSlice{slice}, Claims: []*resourceapi.ResourceClaim{claim},
	}
}

func n(condition string) string {
	return `device.attributes["d"].n ` + condition
}

func TestFirst(t *testing.T) {
	for name, test := range map[string]struct {
		p     *problem.Problem
		limit int
		want  string
		err   error
	}{
		"the first devices":          {numbered([]int64{1, 1, 2}, n("> 0"), n("> 0")), 100, "[0/0/0:d/p/0 0/1/0:d/p/1]", nil},
		"the first that go together": {numbered([]int64{1, 2}, n("> 0"), n("== 1")), 100, "[0/0/0:d/p/1 0/1/0:d/p/0]", nil},
		"none":                       {numbered([]int64{1, 2}, n("== 1"), n("== 1")), 100, "", nil},
		"too many combinations":      {numbered([]int64{1, 1, 1, 1, 1}, n("> 0"), n("> 0"), n("> 0"), n("== 2")), 50, "", oracle.ErrTooLarge},
		"a selector that fails":      {numbered([]int64{1, 1}, n("> 0"), `device.attributes["d"].m > 0`), 100, "", oracle.ErrUndefined},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			solution, err := oracle.First(test.p, test.p.Nodes[0], test.limit)
			if test.err != nil {
				g.Expect(err).To(MatchError(test.err))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			if test.want == "" {
				g.Expect(solution).To(BeNil())
				return
			}
			g.Expect(fmt.Sprint(solution.Choices)).To(Equal(test.want))
		})
	}
}

// A claim gets the device that a claim with the same value already holds, or
// the first one.
func TestFirstPacked(t *testing.T) {
	g := NewWithT(t)
	stated := func(value string) resourceapi.DeviceConfiguration {
		return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "resource.k8s.io", Parameters: runtime.RawExtension{
			Raw: []byte(`{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{"d/k":{"string":"` + value + `"}}}`),
		}}}
	}
	p := numbered([]int64{1, 1, 1}, n("> 0"))
	p.SharingAffinity = true
	p.Slices[0].Annotations = map[string]string{"draconform.dev/sharing-affinity": `{"0":{"attributeKeys":["d/k"]},"2":{"attributeKeys":["d/k"]}}`}
	for i := range p.Slices[0].Spec.Devices {
		p.Slices[0].Spec.Devices[i].AllowMultipleAllocations = ptr.To(true)
	}
	holder := &resourceapi.ResourceClaim{}
	holder.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: "d", Pool: "p", Device: "2", ShareID: ptr.To[types.UID]("share")}},
		Config:  []resourceapi.DeviceAllocationConfiguration{{DeviceConfiguration: stated("a")}},
	}}
	p.Allocated = []*resourceapi.ResourceClaim{holder}
	for value, want := range map[string]string{"a": "[0/0/0:d/p/2]", "b": "[0/0/0:d/p/0]"} {
		p.Claims[0].Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: stated(value)}}
		packed, err := oracle.FirstPacked(p, p.Nodes[0], 100)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(fmt.Sprint(packed.Choices)).To(Equal(want), value)
		first, err := oracle.First(p, p.Nodes[0], 100)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(fmt.Sprint(first.Choices)).To(Equal("[0/0/0:d/p/0]"), value)
	}
}
