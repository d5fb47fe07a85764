// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// healthInterval is the interval at which the health of all devices is reported
// again. The kubelet discards a report after 30 seconds.
const healthInterval = 10 * time.Second

// health is the device health that a driver reports to the kubelet.
type health struct {
	mu      sync.Mutex
	pool    string
	devices []string
	// unwatched are the devices that are not reported.
	unwatched []string
	reported  control.Health
	watched   atomic.Bool // a kubelet has watched it
	// changed is closed and replaced when the health or the set of devices
	// changes.
	changed chan struct{}
}

func newHealth(pool string, devices []string, unwatched ...string) *health {
	return &health{pool: pool, devices: devices, unwatched: unwatched, changed: make(chan struct{})}
}

// set changes the health of devices, which must exist. All other devices are
// healthy.
func (h *health) set(reported control.Health) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(reported)) {
		if !slices.Contains(h.devices, name) {
			return fmt.Errorf("%w: there is no device %s", control.ErrInvalid, name)
		}
		switch status := reported[name].Status; status {
		case kubeletplugin.HealthStatusHealthy, kubeletplugin.HealthStatusUnhealthy, kubeletplugin.HealthStatusUnknown:
		default:
			return fmt.Errorf("%w: device %s: health %q is not known", control.ErrInvalid, name, status)
		}
	}
	h.reported = maps.Clone(reported)
	h.notify()
	return nil
}

// setDevices replaces the pool and the set of devices.
func (h *health) setDevices(pool string, devices []string, unwatched ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pool, h.devices, h.unwatched = pool, devices, unwatched
	h.notify()
}

func (h *health) notify() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// watch reports the health of all devices immediately, after each change and
// every healthInterval. It returns when the context is done.
func (h *health) watch(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
	interval := healthInterval
	if fault.ReportsHealthTooSeldom {
		interval = time.Minute
	}
	if variant.ReportsHealthOften {
		interval = time.Second
	}
	if fault.ReportsHealthOnce && !h.watched.CompareAndSwap(false, true) {
		<-ctx.Done()
		return nil
	}
	again := time.NewTicker(interval)
	defer again.Stop()
	for repeated := false; ; {
		report, changed := h.report()
		if repeated && fault.RepeatsFirstHealthOnly {
			report.Devices = report.Devices[:min(1, len(report.Devices))]
		}
		select {
		case reports <- report:
		case <-ctx.Done():
			return nil
		}
		select {
		case <-changed:
			repeated = false
		case <-again.C:
			repeated = true
		case <-ctx.Done():
			return nil
		}
	}
}

// heeded returns the health that the driver reports. One with a fault reports one device
// with health of its own at most.
func (h *health) heeded() control.Health {
	if !fault.ReportsFirstUnhealthyOnly || len(h.reported) == 0 {
		return h.reported
	}
	first := slices.Min(slices.Collect(maps.Keys(h.reported)))
	return control.Health{first: h.reported[first]}
}

func (h *health) report() (kubeletplugin.DeviceHealthReport, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var report kubeletplugin.DeviceHealthReport
	now := time.Now()
	for _, device := range h.devices {
		if slices.Contains(h.unwatched, device) {
			continue
		}
		reported, ok := h.heeded()[device]
		if fault.ReportsAllUnhealthy {
			for _, reported = range h.reported {
				ok = true
			}
		}
		if !ok || fault.NeverReportsUnhealthy || fault.ReportsUnknownAsHealthy && reported.Status == kubeletplugin.HealthStatusUnknown {
			reported.Status = kubeletplugin.HealthStatusHealthy
		}
		if fault.LosesHealthMessages {
			reported.Message = ""
		}
		report.Devices = append(report.Devices, kubeletplugin.DeviceHealth{
			PoolName: h.pool, DeviceName: device,
			Health: reported.Status, Message: reported.Message, LastUpdated: now,
		})
	}
	if fault.ReportsHealthOfUnknownDevice {
		report.Devices = append(report.Devices, kubeletplugin.DeviceHealth{
			PoolName: h.pool, DeviceName: "unknown", Health: kubeletplugin.HealthStatusHealthy, LastUpdated: now,
		})
	}
	return report, h.changed
}
