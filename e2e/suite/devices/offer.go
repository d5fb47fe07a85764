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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/internal/rules"
)

// Offer is what a driver offers at a time.
type Offer struct {
	// Pools are the pools of the driver. They are complete.
	Pools Pools
	// nodes are the names of the nodes on which a device is available, by pool/device. A
	// device that is available on no node has no entry.
	nodes map[string][]string
}

// NodesOf returns the names of the nodes on which a device is available.
func (o Offer) NodesOf(device audit.DeviceID) []string { return o.nodes[device.Pool+"/"+device.Device] }

// WaitForOffer waits until the pools of a driver are complete and returns what they offer.
func WaitForOffer(ctx context.Context, e *env.Env, driver string) Offer {
	ginkgo.GinkgoHelper()
	return waitForOffer(ctx, e, driver, func(Offer) error { return nil }, "the pools of driver %s should be complete", driver)
}

// WaitForWithdrawn waits until a driver that has offered devices on a node does not offer
// the devices that span the node. Those that it still offers span as many nodes as before.
func WaitForWithdrawn(ctx context.Context, e *env.Env, before Offer, driver, node string) Offer {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until driver %s offers no device that spans node %s", driver, node))
	return waitForOffer(ctx, e, driver, func(now Offer) error {
		var errs []error
		for _, device := range slices.Sorted(maps.Keys(now.nodes)) {
			was, on := before.nodes[device], now.nodes[device]
			switch {
			case slices.Contains(on, node):
				errs = append(errs, fmt.Errorf("device %s is available on node %s", device, node))
			case slices.Contains(was, node) && len(on) != len(was):
				errs = append(errs, fmt.Errorf("device %s of the nodes %v is available on %v", device, was, on))
			}
		}
		return errors.Join(errs...)
	}, "devices that span node %s, which is withdrawn, should not be available", node)
}

// WaitForReturned waits until a driver offers devices of the same nodes on a node as
// before, except those that span nodes which are still withdrawn. They may have other names.
func WaitForReturned(ctx context.Context, e *env.Env, before Offer, driver, node string, away ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until driver %s offers the devices that span node %s", driver, node))
	want := before.spanning(node, away...)
	waitForOffer(ctx, e, driver, func(now Offer) error {
		if has := now.spanning(node); !slices.Equal(has, want) {
			return fmt.Errorf("node %s has devices of the nodes %q, and had devices of the nodes %q", node, has, want)
		}
		return nil
	}, "devices that span node %s, which is not withdrawn any more, should be available as before", node)
}

// waitForOffer waits until the pools of a driver are complete and check returns no error.
func waitForOffer(ctx context.Context, e *env.Env, driver string, check func(Offer) error, because string, args ...any) (offer Offer) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list nodes: %w", err)
		}
		offer = newOffer(newPools(published), nodes.Items)
		if len(offer.Pools) == 0 {
			return fmt.Errorf("driver %s publishes no ResourceSlices", driver)
		}
		return errors.Join(offer.Pools.incomplete(), check(offer))
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), append([]any{because}, args...)...)
	return offer
}

func newOffer(pools Pools, nodes []corev1.Node) Offer {
	offer := Offer{Pools: pools, nodes: map[string][]string{}}
	for name, pool := range pools {
		for slice, device := range pool.Devices() {
			if on := namesOf(rules.NodesOf(&slice.Spec, device), nodes); len(on) > 0 && !isTainted(device) {
				offer.nodes[name+"/"+device.Name] = on
			}
		}
	}
	return offer
}

// isTainted reports whether a taint keeps claims without tolerations off a device.
func isTainted(device *resourceapi.Device) bool {
	return slices.ContainsFunc(device.Taints, func(t resourceapi.DeviceTaint) bool { return t.Effect != resourceapi.DeviceTaintEffectNone })
}

// spanning returns the nodes of each device that is available on a node, and on none of some
// others.
func (o Offer) spanning(node string, without ...string) []string {
	var all []string
	for _, on := range o.nodes {
		isWithout := func(node string) bool { return slices.Contains(without, node) }
		if slices.Contains(on, node) && !slices.ContainsFunc(on, isWithout) {
			all = append(all, strings.Join(on, " "))
		}
	}
	slices.Sort(all)
	return all
}
