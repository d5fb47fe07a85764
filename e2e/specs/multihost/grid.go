// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// grid is a topology on simulated nodes. The nodes are its hosts: host 5 is
// node 5. A host has 2x2 chips, and hosts are numbered row by row.
type grid struct {
	*simulated.Nodes
	topology *simulated.Topology
}

// createGrid publishes a topology of the fake driver on simulated nodes.
func createGrid(ctx context.Context, e *env.Env, name string) grid {
	ginkgo.GinkgoHelper()
	described, err := simulated.LoadTopology(name)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	g := grid{simulated.CreateNodes(ctx, e, len(described.Hosts())), described}
	g.publish(ctx, 1)
	return g
}

// publish publishes a generation of the pool. No node has the devices that
// include a missing host.
func (g grid) publish(ctx context.Context, generation int64, missing ...int) {
	ginkgo.GinkgoHelper()
	// The example in KEP-4815 uses this label. It distinguishes the nodes from
	// those of other specs.
	nodes := simulated.Hosts{Label: corev1.LabelHostname, Values: map[int]string{}}
	for host, node := range g.Names {
		if !slices.Contains(missing, host) {
			nodes.Values[host] = node
		}
	}
	pool := g.topology.Pool(nodes)
	g.CreatePool(ctx, simulated.Pool{Name: g.topology.Name(), Generation: generation}, &simulated.Inventory{CounterSets: pool.CounterSets, Devices: pool.Devices})
}

// withShape selects devices of the grid with a shape.
func (g grid) withShape(shape string) subject.Device {
	return g.Device(fmt.Sprintf("device.attributes[%q].shape == %q", g.Driver, shape))
}

// deviceAt selects the device with a shape that begins at a row and a column:
// "2,4".
func (g grid) deviceAt(shape, origin string) subject.Device {
	device := g.withShape(shape)
	device.Selector += subject.Selector(fmt.Sprintf(" && device.attributes[%q].origin == %q", g.Driver, origin))
	return device
}

// createPod starts a pod that uses a device such as "2x4 at 2,4". It returns
// the name of the pod, which is also that of the claim.
func (g grid) createPod(ctx context.Context, e *env.Env, slice string) string {
	ginkgo.GinkgoHelper()
	shape, origin, _ := strings.Cut(slice, " at ")
	name := strings.NewReplacer(" ", "-", ",", "-").Replace(slice)
	createPod(ctx, e, name, g.deviceAt(shape, origin))
	return name
}

// getOrigin returns the row and the column where an allocated device begins.
func (g grid) getOrigin(ctx context.Context, e *env.Env, device audit.DeviceID) string {
	ginkgo.GinkgoHelper()
	inventory, err := devices.GetInventory(ctx, e)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	origin, ok := inventory.Attribute(device, g.Driver+"/"+simulated.AttributeOrigin)
	gomega.Expect(ok).To(gomega.BeTrue(), "device %s should have an origin", device)
	return origin
}
