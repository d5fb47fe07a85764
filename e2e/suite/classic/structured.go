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
	ginkgo.By(fmt.Sprintf("publishing %d devices of driver %s on node %s", count, driver, node))
	name := c.env.UniqueName() + "-devices"
	var devices []object
	for i := range count {
		devices = append(devices, object{"name": fmt.Sprintf("device-%d", i), "basic": object{}})
	}
	slice := object{
		"nodeName": node, "driver": driver, "pool": object{"name": node, "generation": 1, "resourceSliceCount": 1},
		"devices": devices,
	}
	gomega.Expect(c.create(ctx, published, "ResourceSlice", object{"name": name, "labels": c.env.Labels}, slice)).To(gomega.Succeed())
	c.env.Cleanups = append(c.env.Cleanups, func(ctx context.Context) error { return c.delete(ctx, published, name) })
	class := c.ClassName("structured")
	selector := object{"cel": object{"expression": "device.driver == '" + driver + "'"}}
	gomega.Expect(c.create(ctx, classes, "DeviceClass", object{"name": class, "labels": c.env.Labels}, object{"selectors": []object{selector}})).To(gomega.Succeed())
	c.created = append(c.created, class)
	return class
}
