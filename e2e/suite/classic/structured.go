// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// PublishDevice publishes a device of a node that the scheduler allocates itself, by a
// ResourceSlice. It returns a class for the device.
func (c *Cluster) PublishDevice(ctx context.Context, node string) string {
	ginkgo.GinkgoHelper()
	driver := c.Driver("structured")
	ginkgo.By("publishing a device of driver " + driver + " on node " + node)
	name := c.env.UniqueName() + "-device"
	slice := object{
		"nodeName": node, "driver": driver, "pool": object{"name": node, "generation": 1, "resourceSliceCount": 1},
		"devices": []object{{"name": "device-0", "basic": object{}}},
	}
	gomega.Expect(c.create(ctx, published, "ResourceSlice", object{"name": name, "labels": c.env.Labels}, slice)).To(gomega.Succeed())
	c.env.Cleanups = append(c.env.Cleanups, func(ctx context.Context) error { return c.delete(ctx, published, name) })
	class := c.ClassName("structured")
	selector := object{"cel": object{"expression": "device.driver == '" + driver + "'"}}
	gomega.Expect(c.create(ctx, classes, "DeviceClass", object{"name": class, "labels": c.env.Labels}, object{"selectors": []object{selector}})).To(gomega.Succeed())
	c.created = append(c.created, class)
	return class
}
