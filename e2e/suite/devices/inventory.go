// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// ListSlices returns the ResourceSlices of a driver.
func ListSlices(ctx context.Context, e *env.Env, driver string) ([]resourceapi.ResourceSlice, error) {
	list, err := e.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver})
	if err != nil {
		return nil, fmt.Errorf("list slices of driver %s: %w", driver, err)
	}
	return list.Items, nil
}

// GetInventory returns the devices that the drivers' ResourceSlices offer.
func GetInventory(ctx context.Context, e *env.Env) (*audit.Inventory, error) {
	var offered []resourceapi.ResourceSlice
	for _, driver := range e.DriverNames() {
		of, err := ListSlices(ctx, e, driver)
		if err != nil {
			return nil, err
		}
		offered = append(offered, of...)
	}
	return audit.NewInventory(offered), nil
}

// GetParent returns the value of the attribute that identifies the parent of a
// device.
func GetParent(ctx context.Context, e *env.Env, parents subject.Parents, device audit.DeviceID) string {
	ginkgo.GinkgoHelper()
	return GetText(ctx, e, device, parents.Parent)
}

// GetText returns the value of a string attribute of a device. It waits for the device, whose
// pool the driver may be changing.
func GetText(ctx context.Context, e *env.Env, device audit.DeviceID, attribute string) (text string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (bool, error) {
		inventory, err := GetInventory(ctx, e)
		if err != nil {
			return false, err
		}
		value, ok := inventory.Attribute(device, attribute)
		text = value
		return ok, nil
	}).WithTimeout(e.Timeouts.Response).Should(gomega.BeTrue(), "device %s should have the string attribute %s", device, attribute)
	return text
}

// WaitForOffered waits until ResourceSlices offer the allocated devices of
// claims, and returns all offered devices. The wait is needed because a kubelet
// that starts deletes the ResourceSlices of its node, and the driver publishes
// them again.
func WaitForOffered(ctx context.Context, e *env.Env, created ...*resourceapi.ResourceClaim) *audit.Inventory {
	ginkgo.GinkgoHelper()
	var inventory *audit.Inventory
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		if inventory, err = GetInventory(ctx, e); err != nil {
			return err
		}
		for _, claim := range created {
			for _, device := range audit.Allocated(claim) {
				if _, ok := inventory.Device(device); !ok {
					return fmt.Errorf("claim %s was allocated %s, which no slice of driver %s offers", claim.Name, device, device.Driver)
				}
			}
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "allocated devices should be offered by a slice")
	return inventory
}
