// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/selector"
)

const driver = "gpu.example.com"

type attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute

func newMemo(lists bool) *selector.Memo {
	return selector.NewMemo(cel.NewCache(10, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: lists}), lists)
}

// slice returns a slice of one driver with these devices, named dev-0 and so on.
func slice(t *testing.T, driver string, devices ...resourceapi.Device) *pools.Slice {
	t.Helper()
	api := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "devices"}}
	api.Spec = resourceapi.ResourceSliceSpec{Driver: driver, AllNodes: ptr.To(true),
		Pool: resourceapi.ResourcePool{Name: "pool", ResourceSliceCount: 1}, Devices: devices}
	for i := range devices {
		devices[i].Name = fmt.Sprintf("dev-%d", i)
	}
	view, err := pools.NewInventory(pools.Settings{}, []*resourceapi.ResourceSlice{api}, nil).Node(&corev1.Node{})
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(view.Words).NotTo(BeEmpty())
	return view.Words[0].Slice
}

func device(a attributes) resourceapi.Device { return resourceapi.Device{Attributes: a} }

func text(s string) resourceapi.DeviceAttribute { return resourceapi.DeviceAttribute{StringValue: &s} }

func number(n int64) resourceapi.DeviceAttribute { return resourceapi.DeviceAttribute{IntValue: &n} }

func boolean(b bool) resourceapi.DeviceAttribute { return resourceapi.DeviceAttribute{BoolValue: &b} }

func version(v string) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{VersionValue: &v}
}
