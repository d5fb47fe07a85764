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
// the device. Each ResourceSlice is updated once and in place, as a driver does
// it: the generation of the pool does not change (KEP-5055, API). It returns
// the devices as the API server has stored them.
func (s *Nodes) SetTaints(ctx context.Context, pool string, taints map[string][]resourceapi.DeviceTaint) map[string]resourceapi.Device {
	ginkgo.GinkgoHelper()
	stored := map[string]resourceapi.Device{}
	for _, slice := range s.GetSlices(ctx, pool) {
		changed := false
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			if of, ok := taints[device.Name]; ok {
				device.Taints, changed = of, true
			}
		}
		if !changed {
			continue
		}
		ginkgo.By(fmt.Sprintf("changing taints of devices of pool %s", pool))
		updated, err := s.env.Client.ResourceV1().ResourceSlices().Update(ctx, &slice, metav1.UpdateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		for _, device := range updated.Spec.Devices {
			if _, ok := taints[device.Name]; ok {
				stored[device.Name] = device
			}
		}
	}
	gomega.Expect(stored).To(gomega.HaveLen(len(taints)), "pool %s should have the devices whose taints change", pool)
	return stored
}
