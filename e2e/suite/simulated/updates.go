// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package simulated

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetTaints replaces the taints of published devices of a pool, by the name of
// the device, as a driver does it (KEP-5055, API). It returns the devices as
// the API server has stored them.
func (s *Nodes) SetTaints(ctx context.Context, pool string, taints map[string][]resourceapi.DeviceTaint) map[string]resourceapi.Device {
	ginkgo.GinkgoHelper()
	stored := s.UpdateDevices(ctx, pool, func(device *resourceapi.Device) bool {
		of, ok := taints[device.Name]
		if ok {
			device.Taints = of
		}
		return ok
	})
	gomega.Expect(stored).To(gomega.HaveLen(len(taints)), "pool %s should have the devices whose taints change", pool)
	return stored
}

// UpdateDevices updates published devices of a pool. change changes a device and
// reports whether it did. Each ResourceSlice is updated once and in place, so that
// the generation of the pool remains the same. It returns the changed devices as
// the API server has stored them, by name.
func (s *Nodes) UpdateDevices(ctx context.Context, pool string, change func(*resourceapi.Device) bool) map[string]resourceapi.Device {
	ginkgo.GinkgoHelper()
	stored := map[string]resourceapi.Device{}
	for _, slice := range s.GetSlices(ctx, pool) {
		changed := map[string]bool{}
		for i := range slice.Spec.Devices {
			if device := &slice.Spec.Devices[i]; change(device) {
				changed[device.Name] = true
			}
		}
		if len(changed) == 0 {
			continue
		}
		ginkgo.By(fmt.Sprintf("changing devices of pool %s", pool))
		updated, err := s.env.Client.ResourceV1().ResourceSlices().Update(ctx, &slice, metav1.UpdateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		for _, device := range updated.Spec.Devices {
			if changed[device.Name] {
				stored[device.Name] = device
			}
		}
	}
	return stored
}
