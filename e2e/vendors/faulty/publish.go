// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// firstGeneration is the generation of the pool of a node.
const firstGeneration = 1000

// renamesDevices gives devices other names each time that it is started.
func renamesDevices(c *config) error {
	c.device = "device-" + rand.String(8) + "-"
	return nil
}

// publishes adds a second pool to the devices of a node, with these slices. Specs
// that use devices use those of the first one.
func publishes(second func(*config) []resourceapi.ResourceSliceSpec) func(*config) error {
	return func(c *config) error {
		c.publish = func(ctx context.Context, c *config) error {
			return c.replace(ctx, append(second(c), c.slice(c.node, firstGeneration, 1, c.devices()...))...)
		}
		return nil
	}
}

func (c *config) spare() string { return c.node + "-spare" }

func tooFewSlices(c *config) []resourceapi.ResourceSliceSpec {
	return []resourceapi.ResourceSliceSpec{c.slice(c.spare(), 1, 2, resourceapi.Device{Name: "spare"})}
}

func deviceTwice(c *config) []resourceapi.ResourceSliceSpec {
	slice := c.slice(c.spare(), 1, 2, resourceapi.Device{Name: "spare"})
	return []resourceapi.ResourceSliceSpec{slice, slice}
}

func olderGeneration(c *config) []resourceapi.ResourceSliceSpec {
	return []resourceapi.ResourceSliceSpec{
		c.slice(c.spare(), 1, 1, resourceapi.Device{Name: "spare"}), c.slice(c.spare(), 2, 1, resourceapi.Device{Name: "spare"}),
	}
}

// renamesInUse gives all devices other names when it has prepared a claim.
func renamesInUse(c *config) error {
	c.publish = func(ctx context.Context, c *config) error {
		return c.replace(ctx, c.slice(c.node, firstGeneration, 1, c.devices()...))
	}
	var once sync.Once
	return onPrepare(func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		response, err := right(ctx, request)
		if err != nil {
			return nil, err
		}
		once.Do(func() {
			c.device = "renamed-" + c.device
			err = c.replace(ctx, c.slice(c.node, firstGeneration+1, 1, c.devices()...))
		})
		return response, err
	})(c)
}

// slice returns a slice of a pool with a number of slices.
func (c *config) slice(pool string, generation, count int64, devices ...resourceapi.Device) resourceapi.ResourceSliceSpec {
	return resourceapi.ResourceSliceSpec{
		Driver: c.driver, NodeName: &c.node, Devices: devices,
		Pool: resourceapi.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count},
	}
}

// existing returns the slices that an earlier process has published.
func (c *config) existing(ctx context.Context) ([]resourceapi.ResourceSlice, error) {
	list, err := c.client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{
		FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + c.driver + "," + resourceapi.ResourceSliceSelectorNodeName + "=" + c.node,
	})
	if err != nil {
		return nil, fmt.Errorf("list slices: %w", err)
	}
	return list.Items, nil
}

// replace creates slices and then deletes those of an earlier process.
func (c *config) replace(ctx context.Context, wanted ...resourceapi.ResourceSliceSpec) error {
	slices := c.client.ResourceV1().ResourceSlices()
	existing, err := c.existing(ctx)
	if err != nil {
		return err
	}
	for _, spec := range wanted {
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: c.node + "-" + c.driver + "-" + rand.String(8)}, Spec: spec}
		if _, err := slices.Create(ctx, slice, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create a slice: %w", err)
		}
	}
	for _, slice := range existing {
		if err := slices.Delete(ctx, slice.Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete slice %s: %w", slice.Name, err)
		}
	}
	return nil
}
