// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// witness is the name of an attempt. The eviction of its pod shows that the controller
// knows the taints that were set in the same update.
const witness = "witness"

// usedDevices are devices with a pod each, whose taints a spec sets.
type usedDevices struct {
	sim      *simulated.Nodes
	pool     string
	attempts []attempt
	// evicted states why pods must be evicted, and staying has the names of the pods
	// that must stay.
	evicted map[string]string
	staying []string
}

// createUsedDevices publishes a pool with a device without taints for each attempt, and
// schedules a pod for it.
func createUsedDevices(ctx context.Context, e *env.Env, sim *simulated.Nodes, pool string, attempts []attempt) *usedDevices {
	ginkgo.GinkgoHelper()
	var names []string
	for _, a := range attempts {
		names = append(names, a.Name)
	}
	sim.CreatePool(ctx, simulated.Pool{Name: pool, Node: sim.Names[0]}, fixture.Devices(names...))
	evicted, staying := createPods(ctx, e, sim, attempts)
	pods.WaitForScheduled(ctx, e, names...)
	return &usedDevices{sim: sim, pool: pool, attempts: attempts, evicted: evicted, staying: staying}
}

// setTaints sets some of the taints of all devices in one update. It returns the devices
// as the API server has stored them.
func (u *usedDevices) setTaints(ctx context.Context, of func(attempt) []resourceapi.DeviceTaint) map[string]resourceapi.Device {
	ginkgo.GinkgoHelper()
	taints := map[string][]resourceapi.DeviceTaint{}
	for _, a := range u.attempts {
		taints[a.Name] = of(a)
	}
	return u.sim.SetTaints(ctx, u.pool, taints)
}

// waitForEvicted waits until the pods that must be evicted are evicted.
func (u *usedDevices) waitForEvicted(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	for _, a := range u.attempts {
		if because, ok := u.evicted[a.Name]; ok {
			pods.WaitForDisrupted(ctx, e, because, a.Name)
		}
	}
}

// changeUntilEvicted changes an attribute of a device of the first node each second until the
// pod of the same name is evicted.
func changeUntilEvicted(ctx context.Context, e *env.Env, sim *simulated.Nodes, name string) {
	ginkgo.GinkgoHelper()
	changes := int64(0)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		changes++
		sim.UpdateDevices(ctx, sim.Names[0], func(device *resourceapi.Device) bool {
			if device.Name != name {
				return false
			}
			device.Attributes["changes"] = resourceapi.DeviceAttribute{IntValue: ptr.To(changes)}
			return true
		})
		return pods.CheckEvicted(ctx, e, name)
	}).WithPolling(time.Second).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "pod %s should be evicted, although its device changes in other respects than its taint", name)
}

// allowing returns the environment for waits until pods are evicted that tolerate a taint
// for a time.
func allowing(e *env.Env, tolerated time.Duration) *env.Env {
	longer := *e
	longer.Timeouts.PodStart += tolerated
	return &longer
}

func before(a attempt) []resourceapi.DeviceTaint { return a.Before }

func after(a attempt) []resourceapi.DeviceTaint { return a.Taints }
