// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// driver implements the kubelet plugin of one DRA driver.
type driver struct {
	store  *claims.Store
	health *health
	// status writes the status of prepared devices. It is nil if the driver does
	// not do that.
	status *statusWriter
	// dropped is called when the API server dropped fields of ResourceSlices.
	dropped func(*resourceslice.DroppedFieldsError)
	// fail terminates the process with an error.
	fail context.CancelCauseFunc
}

var _ kubeletplugin.DRAPlugin = &driver{}

// PrepareResourceClaims implements [kubeletplugin.DRAPlugin]. A claim that
// fails does not prevent other claims from being prepared.
func (d *driver) PrepareResourceClaims(ctx context.Context, allocated []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	if variant.AnswersSlowly {
		pause(ctx, slowAnswer)
	}
	if fault.PreparesFirstClaimOnly {
		allocated = allocated[:1]
	}
	logger := klog.FromContext(ctx)
	results := make(map[types.UID]kubeletplugin.PrepareResult, len(allocated))
	for _, claim := range allocated {
		devices, err := d.store.Prepare(ctx, claim)
		results[claim.UID] = kubeletplugin.PrepareResult{Devices: devices, Err: err}
		if err != nil {
			logger.Error(err, "Could not prepare claim", "claim", klog.KObj(claim), "uid", claim.UID)
			continue
		}
		logger.Info("Prepared claim", "claim", klog.KObj(claim), "uid", claim.UID, "devices", deviceNames(devices))
		if d.status != nil {
			d.report(ctx, claim, devices)
		}
	}
	if variant.FailsClaimsTogether {
		failTogether(results)
	}
	return results, nil
}

// report writes the status of the devices of a claim. They are usable without it.
func (d *driver) report(ctx context.Context, claim *resourceapi.ResourceClaim, devices []kubeletplugin.Device) {
	logged := func(err error) {
		if err != nil {
			klog.FromContext(ctx).Error(err, "Could not report the devices", "claim", klog.KObj(claim), "uid", claim.UID)
		}
	}
	if variant.WritesDeviceStatusLate {
		go func() { logged(d.status.writeLate(context.WithoutCancel(ctx), claim, devices)) }() // The call ends before.
		return
	}
	logged(d.status.write(ctx, claim, devices))
}

// UnprepareResourceClaims implements [kubeletplugin.DRAPlugin].
func (d *driver) UnprepareResourceClaims(ctx context.Context, released []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	if variant.AnswersSlowly {
		pause(ctx, slowAnswer)
	}
	logger := klog.FromContext(ctx)
	results := make(map[types.UID]error, len(released))
	for _, claim := range released {
		if fault.UnpreparesFirstClaimOnly && len(results) > 0 {
			results[claim.UID] = nil
			continue
		}
		uid := claim.UID
		if fault.UnpreparesByName {
			uid = d.store.Named(claim)
		}
		err := d.store.Unprepare(ctx, uid)
		results[claim.UID] = err
		if err != nil {
			logger.Error(err, "Could not unprepare claim", "claim", claim.NamespacedName.String(), "uid", claim.UID)
			continue
		}
		logger.Info("Unprepared claim", "claim", claim.NamespacedName.String(), "uid", claim.UID)
	}
	return results, nil
}

// slowAnswer is how long a slow driver takes for a call.
const slowAnswer = 2 * time.Second

// pause waits, or until the context is done.
func pause(ctx context.Context, how time.Duration) {
	select {
	case <-time.After(how):
	case <-ctx.Done():
	}
}

// HandleError implements [kubeletplugin.DRAPlugin]. Errors while publishing are
// recoverable. All other errors terminate the process, because only a restart
// resolves them.
func (d *driver) HandleError(ctx context.Context, err error, msg string) {
	if errors.Is(err, grpc.ErrServerStopped) {
		return // The server was stopped before it started to serve. This is expected.
	}
	utilruntime.HandleErrorWithContext(ctx, err, msg)
	if dropped, ok := errors.AsType[*resourceslice.DroppedFieldsError](err); ok {
		d.dropped(dropped)
	}
	if !errors.Is(err, kubeletplugin.ErrRecoverable) {
		d.fail(fmt.Errorf("%s: %w", msg, err))
	}
}

// WatchHealthStatus implements [kubeletplugin.DRAPlugin].
func (d *driver) WatchHealthStatus(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
	return d.health.watch(ctx, reports)
}

func deviceNames(devices []kubeletplugin.Device) []string {
	var names []string
	for _, device := range devices {
		names = append(names, device.DeviceName)
	}
	return names
}
