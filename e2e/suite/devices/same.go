// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForSameDevices waits until the pools of the given devices of a driver have
// these devices, and what they state about capacity and counters is what they
// stated before. Other devices may be missing.
func WaitForSameDevices(ctx context.Context, e *env.Env, driver string, before Pools, given []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	ginkgo.By("comparing the devices of driver " + driver)
	want := before.with(given).content()
	var required []string
	for _, id := range given {
		required = append(required, id.Pool+"/"+id.Device)
	}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		pools := newPools(published).with(given)
		return errors.Join(pools.incomplete(), differences(want, pools.content(), required))
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "what driver %s publishes should not depend on which devices are in use", driver)
}

// with returns the pools that have devices.
func (p Pools) with(devices []audit.DeviceID) Pools {
	some := Pools{}
	for _, id := range devices {
		if pool, ok := p[id.Pool]; ok {
			some[id.Pool] = pool
		}
	}
	return some
}

// content is what a slice states about a device, or a counter set, that does not
// depend on what is in use.
type content struct {
	Capacity map[resourceapi.QualifiedName]resourceapi.DeviceCapacity
	// Consumes are the counters that a device consumes, by counter set.
	Consumes map[string]map[string]resourceapi.Counter
	Shared   bool
	Counters map[string]resourceapi.Counter
}

// content returns the content of the pools: of devices by pool/device, and of
// counter sets by their pool and name.
func (p Pools) content() map[string]content {
	all := map[string]content{}
	for name, pool := range p {
		for _, device := range pool.Devices() {
			consumes := map[string]map[string]resourceapi.Counter{}
			for _, of := range device.ConsumesCounters {
				consumes[of.CounterSet] = of.Counters
			}
			all[name+"/"+device.Name] = content{Capacity: device.Capacity, Consumes: consumes, Shared: ptr.Deref(device.AllowMultipleAllocations, false)}
		}
		for _, slice := range pool.Slices {
			for _, set := range slice.Spec.SharedCounters {
				all["counter set "+set.Name+" of pool "+name] = content{Counters: set.Counters}
			}
		}
	}
	return all
}

// differences returns an error about required content that is missing, and about
// content that is not what it should be.
func differences(want, got map[string]content, required []string) error {
	var errs []error
	for _, name := range required {
		if _, ok := got[name]; !ok {
			errs = append(errs, fmt.Errorf("%s is not published any more", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if now, ok := got[name]; ok && !equality.Semantic.DeepEqual(now, want[name]) {
			errs = append(errs, fmt.Errorf("%s is published with %v after %v", name, now, want[name]))
		}
	}
	return errors.Join(errs...)
}
