// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	resourceapply "k8s.io/client-go/applyconfigurations/resource/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// statusTimeout limits the time of a request that writes the status of devices,
// because the kubelet waits for it.
const statusTimeout = 2 * time.Second

// ready is the condition of a prepared device.
const ready = "Ready"

// statusWriter writes the status of prepared devices into their claims
// (KEP-4817).
type statusWriter struct {
	driver string
	client kubernetes.Interface
	// late is held while a variant of the driver writes.
	late sync.Mutex
}

// write writes the status of the devices of a claim, unless the claim has it
// already. The entries of other drivers do not change. The API server removes the
// entries when the claim is deallocated.
func (w *statusWriter) write(ctx context.Context, claim *resourceapi.ResourceClaim, devices []kubeletplugin.Device) error {
	isMissing := func(d kubeletplugin.Device) bool { return fault.RenewsDeviceStatus || !w.isWritten(claim, d) }
	if !slices.ContainsFunc(devices, isMissing) {
		return nil
	}
	status := resourceapply.ResourceClaimStatus()
	for i, device := range devices {
		if i > 0 && fault.ReportsFirstDeviceStatusOnly {
			break
		}
		status.WithDevices(w.statusOf(device))
	}
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	if fault.OverwritesDeviceStatus {
		return w.overwrite(ctx, claim, status)
	}
	// With the UID, the API server rejects the status if another claim has the
	// name now.
	_, err := w.client.ResourceV1().ResourceClaims(claim.Namespace).ApplyStatus(ctx,
		resourceapply.ResourceClaim(claim.Name, claim.Namespace).WithUID(claim.UID).WithStatus(status),
		metav1.ApplyOptions{FieldManager: w.driver, Force: true})
	if err != nil {
		return fmt.Errorf("write the device status of claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	return nil
}

func (w *statusWriter) statusOf(device kubeletplugin.Device) *resourceapply.AllocatedDeviceStatusApplyConfiguration {
	status := resourceapply.AllocatedDeviceStatus().WithDriver(w.driver).WithPool(device.PoolName).WithDevice(device.DeviceName).
		WithConditions(metaapply.Condition().WithType(ready).WithStatus(metav1.ConditionTrue).WithReason("Prepared").WithMessage("").WithLastTransitionTime(metav1.Now()))
	if device.ShareID != nil && !fault.ReportsNoStatusOfShares {
		status.WithShareID(string(*device.ShareID))
	}
	if variant.WritesMoreDeviceStatus {
		status.WithData(runtime.RawExtension{Raw: []byte(`{"firmware":"1.0"}`)}).
			WithNetworkData(resourceapply.NetworkDeviceData().WithInterfaceName("net0").WithIPs("192.0.2.1/24").WithHardwareAddress("02:00:00:00:00:01"))
	}
	return status
}

// overwrite makes the status of the driver's own devices that of all devices of a claim.
func (w *statusWriter) overwrite(ctx context.Context, claim *resourceapi.ResourceClaim, status *resourceapply.ResourceClaimStatusApplyConfiguration) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": claim.UID}, "status": map[string]any{"devices": status.Devices}})
	if err != nil {
		return fmt.Errorf("encode the device status of claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	_, err = w.client.ResourceV1().ResourceClaims(claim.Namespace).Patch(ctx, claim.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: w.driver}, "status")
	if err != nil {
		return fmt.Errorf("overwrite the device status of claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	return nil
}

// isWritten reports whether a claim has the status of a device.
func (w *statusWriter) isWritten(claim *resourceapi.ResourceClaim, device kubeletplugin.Device) bool {
	return slices.ContainsFunc(claim.Status.Devices, func(s resourceapi.AllocatedDeviceStatus) bool {
		share := ""
		if device.ShareID != nil {
			share = string(*device.ShareID)
		}
		return s.Driver == w.driver && s.Pool == device.PoolName && s.Device == device.DeviceName && ptr.Deref(s.ShareID, "") == share
	})
}
