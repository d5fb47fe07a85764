// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package simulated

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// SetTaints replaces the taints of published devices of a pool, by the name of
// the device, as a driver does it (KEP-5055, API). It returns the devices as
// the API server has stored them.
func (s *Nodes) SetTaints(ctx context.Context, pool string, taints map[string][]resourceapi.DeviceTaint) map[string]resourceapi.Device {
	ginkgo.GinkgoHelper()
	return s.setTaints(ctx, s.GetSlices(ctx, pool), pool, taints)
}

// SetTaintsOfGeneration is [Nodes.SetTaints] for the ResourceSlices of one generation of
// a pool.
func (s *Nodes) SetTaintsOfGeneration(ctx context.Context, pool string, generation int64, taints map[string][]resourceapi.DeviceTaint) {
	ginkgo.GinkgoHelper()
	published := slices.DeleteFunc(s.GetSlices(ctx, pool), func(slice resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Generation != generation })
	s.setTaints(ctx, published, pool, taints)
}

func (s *Nodes) setTaints(ctx context.Context, published []resourceapi.ResourceSlice, pool string, taints map[string][]resourceapi.DeviceTaint) map[string]resourceapi.Device {
	ginkgo.GinkgoHelper()
	stored := s.updateDevices(ctx, published, func(device *resourceapi.Device) bool {
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
	return s.updateDevices(ctx, s.GetSlices(ctx, pool), change)
}

func (s *Nodes) updateDevices(ctx context.Context, published []resourceapi.ResourceSlice, change func(*resourceapi.Device) bool) map[string]resourceapi.Device {
	ginkgo.GinkgoHelper()
	stored := map[string]resourceapi.Device{}
	for _, slice := range published {
		before := slice.DeepCopy()
		changed := changeEach(&slice, change)
		if len(changed) == 0 {
			continue
		}
		ginkgo.By(fmt.Sprintf("changing devices of pool %s", slice.Spec.Pool.Name))
		updated, err := s.update(ctx, &slice, before)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		for _, device := range updated.Spec.Devices {
			if changed[device.Name] {
				stored[device.Name] = device
			}
		}
	}
	return stored
}

// UpdateSlice updates the ResourceSlice of a pool that has the device of this name, in place. It
// has the given generation and devices then.
func (s *Nodes) UpdateSlice(ctx context.Context, pool, device string, generation int64, all []resourceapi.Device) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("updating the slice of pool %s with device %s to generation %d", pool, device, generation))
	published := s.GetSlices(ctx, pool)
	i := slices.IndexFunc(published, func(slice resourceapi.ResourceSlice) bool {
		return slices.ContainsFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == device })
	})
	gomega.Expect(i).To(gomega.BeNumerically(">=", 0), "pool %s should have the device %s", pool, device)
	before := published[i].DeepCopy()
	published[i].Spec.Pool.Generation, published[i].Spec.Devices = generation, all
	_, err := s.update(ctx, &published[i], before)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// SelectNodes replaces the node selector of the published ResourceSlices of a pool in place,
// so that the generation of the pool remains the same.
func (s *Nodes) SelectNodes(ctx context.Context, pool string, selector *corev1.NodeSelector) {
	ginkgo.GinkgoHelper()
	ginkgo.By("changing the nodes of pool " + pool)
	for _, slice := range s.GetSlices(ctx, pool) {
		before := slice.DeepCopy()
		slice.Spec.NodeSelector = selector
		_, err := s.update(ctx, &slice, before)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
}

// changeEach changes the devices of a slice, and returns which of them have changed.
func changeEach(slice *resourceapi.ResourceSlice, change func(*resourceapi.Device) bool) map[string]bool {
	changed := map[string]bool{}
	for i := range slice.Spec.Devices {
		if device := &slice.Spec.Devices[i]; change(device) {
			changed[device.Name] = true
		}
	}
	return changed
}

// update updates the spec of a slice. Something in the cluster may have changed its metadata,
// such as its labels, since it was read, but nothing else its spec.
func (s *Nodes) update(ctx context.Context, slice, before *resourceapi.ResourceSlice) (updated *resourceapi.ResourceSlice, err error) {
	client := s.env.Client.ResourceV1().ResourceSlices()
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		updated, err = client.Update(ctx, slice, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return err
		}
		now, getErr := client.Get(ctx, slice.Name, metav1.GetOptions{})
		if getErr == nil && equality.Semantic.DeepEqual(now.Spec, before.Spec) {
			now.Spec = slice.Spec
			slice = now
		}
		return err
	})
	return updated, err
}
