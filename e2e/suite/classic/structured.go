// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// PublishDevices publishes devices of a node that the scheduler allocates itself, by a
// ResourceSlice. It returns a class for these devices.
func (c *Cluster) PublishDevices(ctx context.Context, node string, count int) string {
	ginkgo.GinkgoHelper()
	driver := c.Driver("structured")
	c.publish(ctx, driver, node, count)
	return c.createStructuredClass(ctx, driver)
}

// PublishOwn publishes the devices of the driver under test on a node, under their own names,
// so that the scheduler allocates them from now on. The driver must not allocate them any
// more.
func (d *Driven) PublishOwn(ctx context.Context, node string) {
	ginkgo.GinkgoHelper()
	d.publish(ctx, d.name, node, d.devices)
}

// CreateStructuredClass creates a class for devices of the driver under test that the
// scheduler allocates. It returns the name of the class.
func (d *Driven) CreateStructuredClass(ctx context.Context) string {
	ginkgo.GinkgoHelper()
	return d.createStructuredClass(ctx, d.name)
}

// publish publishes devices by a ResourceSlice, which is removed at the end of the spec.
func (c *Cluster) publish(ctx context.Context, driver, node string, count int) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("publishing %d devices of driver %s on node %s", count, driver, node))
	name := fmt.Sprintf("%s-devices-%d", c.env.UniqueName(), len(c.slices))
	var devices []object
	for i := range count {
		devices = append(devices, object{"name": fmt.Sprintf("device-%d", i), "basic": object{}})
	}
	slice := object{
		"nodeName": node, "driver": driver, "pool": object{"name": node, "generation": 1, "resourceSliceCount": 1},
		"devices": devices,
	}
	gomega.Expect(c.create(ctx, published, "ResourceSlice", object{"name": name, "labels": c.env.Labels}, slice)).To(gomega.Succeed())
	c.slices = append(c.slices, name)
	c.env.Cleanups = append(c.env.Cleanups, func(ctx context.Context) error { return c.delete(ctx, published, name) })
}

func (c *Cluster) createStructuredClass(ctx context.Context, driver string) string {
	ginkgo.GinkgoHelper()
	class := c.ClassName("structured")
	selector := object{"cel": object{"expression": "device.driver == '" + driver + "'"}}
	gomega.Expect(c.create(ctx, classes, "DeviceClass", object{"name": class, "labels": c.env.Labels}, object{"selectors": []object{selector}})).To(gomega.Succeed())
	c.created = append(c.created, class)
	return class
}
