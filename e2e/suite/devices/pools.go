// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/internal/rules"
)

// Pools are the pools of a driver by their names.
type Pools map[string]*rules.Pool

// devices returns the devices of those slices of the pools for which which is
// true, as pool/device.
func (p Pools) devices(which func(*resourceapi.ResourceSlice) bool) []string {
	var all []string
	for name, pool := range p {
		for slice, device := range pool.Devices() {
			if which(slice) {
				all = append(all, name+"/"+device.Name)
			}
		}
	}
	return all
}

// DevicesOn returns the devices of the slices for a node, as pool/device.
func (p Pools) DevicesOn(node string) []string {
	return p.devices(func(slice *resourceapi.ResourceSlice) bool { return ptr.Deref(slice.Spec.NodeName, "") == node })
}

// of returns the pools with slices for a node, and those with slices that are not for
// one node. All pools are returned if node is empty. Other specs may restart the other
// nodes meanwhile.
func (p Pools) of(node string) Pools {
	if node == "" {
		return p
	}
	of := Pools{}
	for name, pool := range p {
		if slices.ContainsFunc(slices.Concat(pool.Slices, pool.Older), func(s *resourceapi.ResourceSlice) bool { return ptr.Deref(s.Spec.NodeName, node) == node }) {
			of[name] = pool
		}
	}
	return of
}

// WaitForDevices waits until the pools of these devices of a driver, as pool/device, are
// complete and have them. They may have more. A driver that starts may publish
// its devices little by little, and its other nodes may change their pools meanwhile.
func WaitForDevices(ctx context.Context, e *env.Env, driver string, want []string, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until driver %s has published %d devices", driver, len(want)))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		pools := newPools(published).of(e.Node)
		if err := pools.named(want).incomplete(); err != nil {
			return err
		}
		has := pools.devices(func(*resourceapi.ResourceSlice) bool { return true })
		missing := slices.DeleteFunc(slices.Clone(want), func(device string) bool { return slices.Contains(has, device) })
		if len(missing) > 0 {
			return fmt.Errorf("driver %s does not publish %v; it publishes %v", driver, missing, has)
		}
		return nil
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "%s", because)
}

// named returns the pools of devices, which are given as pool/device.
func (p Pools) named(devices []string) Pools {
	some := Pools{}
	for _, device := range devices {
		name := device[:strings.LastIndex(device, "/")]
		if pool, ok := p[name]; ok {
			some[name] = pool
		}
	}
	return some
}

// WaitForCompletePools waits until a driver has at least one pool and has completed each
// of its pools, and returns them. In a spec that uses one node, these are the
// pools of the node. A driver with many nodes may always be changing some of its pools, so
// that they need not be complete at the same time, and those of nodes that are not ready need
// not be complete.
func WaitForCompletePools(ctx context.Context, e *env.Env, driver string) (pools Pools) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the pools of driver %s are complete", driver))
	complete := Pools{}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		if pools = newPools(published).of(e.Node); len(pools) == 0 {
			return fmt.Errorf("driver %s publishes no ResourceSlices%s", driver, forNode(e))
		}
		pools = pools.orEarlier(complete)
		if pools.incomplete() == nil {
			return nil
		}
		down, err := listDown(ctx, e)
		if err != nil {
			return err
		}
		return pools.without(down).incomplete()
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "all pools of driver %s should be complete", driver)
	return pools
}

// listDown returns the names of the nodes that are not ready. A driver that does not run cannot
// complete the pool of its node.
func listDown(ctx context.Context, e *env.Env) ([]string, error) {
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var down []string
	for i := range nodes.Items {
		if !env.Ready(&nodes.Items[i]) {
			down = append(down, nodes.Items[i].Name)
		}
	}
	return down, nil
}

// without returns the pools that have no slice for one of the nodes.
func (p Pools) without(nodes []string) Pools {
	some := Pools{}
	for name, pool := range p {
		if !slices.ContainsFunc(pool.Slices, func(s *resourceapi.ResourceSlice) bool {
			return s.Spec.NodeName != nil && slices.Contains(nodes, *s.Spec.NodeName)
		}) {
			some[name] = pool
		}
	}
	return some
}

// orEarlier returns the pools, with the earlier state of those that are being replaced by a
// newer generation, and that were complete. It adds pools that are complete to these states.
func (p Pools) orEarlier(complete Pools) Pools {
	all := Pools{}
	for name, pool := range p {
		one, before := Pools{name: pool}, complete[name]
		switch {
		case one.incomplete() == nil:
			complete[name] = pool
		case before != nil && pool.Generation() > before.Generation() && one.wrong() == nil:
			pool = before
		}
		all[name] = pool
	}
	return all
}

// forNode names the only node that a spec uses, for messages.
func forNode(e *env.Env) string {
	if e.Node == "" {
		return ""
	}
	return " for node " + e.Node
}

func newPools(published []resourceapi.ResourceSlice) Pools {
	all := make([]*resourceapi.ResourceSlice, len(published))
	for i := range published {
		all[i] = &published[i]
	}
	pools := Pools{}
	for _, pool := range rules.Pools(all) {
		pools[pool.Name] = pool
	}
	return pools
}

// incomplete returns an error about the pools that are wrong or incomplete.
func (p Pools) incomplete() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p)) {
		pool := p[name]
		if has := int64(len(pool.Slices)); pool.Missing() > 0 {
			errs = append(errs, fmt.Errorf("pool %s has %d of the %d slices of generation %d", name, has, has+pool.Missing(), pool.Generation()))
		}
		for _, slice := range pool.Slices {
			if of, first := slice.Spec.Pool, pool.Slices[0].Spec.Pool; of.ResourceSliceCount != first.ResourceSliceCount {
				errs = append(errs, fmt.Errorf("slices of generation %d of pool %s state %d and %d slices", of.Generation, name, first.ResourceSliceCount, of.ResourceSliceCount))
			}
		}
		if len(pool.Older) > 0 {
			errs = append(errs, fmt.Errorf("pool %s has %d slices of older generations than %d", name, len(pool.Older), pool.Generation()))
		}
	}
	return errors.Join(append(errs, p.wrong())...)
}

// wrong returns an error about pools in a state that is never right, also not
// while a driver changes them.
func (p Pools) wrong() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p)) {
		pool := p[name]
		if has := int64(len(pool.Slices)); pool.Missing() < 0 {
			errs = append(errs, fmt.Errorf("pool %s has %d slices of generation %d, which state %d", name, has, pool.Generation(), has+pool.Missing()))
		}
		seen := map[string]bool{}
		for _, device := range pool.Devices() {
			if seen[device.Name] {
				errs = append(errs, fmt.Errorf("device %s is in two slices of generation %d", audit.DeviceID{Pool: name, Device: device.Name}, pool.Generation()))
			}
			seen[device.Name] = true
		}
	}
	return errors.Join(errs...)
}

// ExpectPoolsNeverWrong lists the slices of a driver again and again, until the
// returned function is called. That function lists them once more. It asserts
// that no pool ever had too many slices or a device twice. In a spec that uses one node,
// these are the pools of the node.
func ExpectPoolsNeverWrong(ctx context.Context, e *env.Env, driver string) (stop func()) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("watching the pools of driver %s", driver))
	check := func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return nil //nolint:nilerr // The API server may be busy.
		}
		return newPools(published).of(e.Node).wrong()
	}
	var violation error
	polling, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The error is that of the context, or the violation.
		_ = wait.PollUntilContextCancel(polling, env.PollInterval, true, func(ctx context.Context) (bool, error) {
			violation = errors.Join(violation, check(ctx))
			return violation != nil, nil
		})
	}()
	return func() {
		ginkgo.GinkgoHelper()
		cancel()
		<-done
		gomega.Expect(errors.Join(violation, check(ctx))).NotTo(gomega.HaveOccurred(), "the pools of driver %s should never be wrong", driver)
	}
}
