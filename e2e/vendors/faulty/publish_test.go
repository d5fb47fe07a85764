// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// published returns the pool, generation, number of slices and number of devices of
// all slices.
func (c *config) published(g Gomega) []string {
	list, err := c.client.ResourceV1().ResourceSlices().List(context.Background(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	var all []string
	for _, slice := range list.Items {
		of := slice.Spec.Pool
		all = append(all, fmt.Sprintf("%s %d %d: %d devices", of.Name, of.Generation, of.ResourceSliceCount, len(slice.Spec.Devices)))
	}
	slices.Sort(all)
	return all
}

func TestFaultsOfSlices(t *testing.T) {
	g := NewWithT(t)
	for fault, want := range map[string][]string{
		"publishes-too-few-slices":        {"node 1000 1: 8 devices", "node-spare 1 2: 1 devices"},
		"publishes-device-twice":          {"node 1000 1: 8 devices", "node-spare 1 2: 1 devices", "node-spare 1 2: 1 devices"},
		"leaves-slices-of-old-generation": {"node 1000 1: 8 devices", "node-spare 1 1: 1 devices", "node-spare 2 1: 1 devices"},
	} {
		c := broken(t, fault)
		g.Expect(c.publish(t.Context(), c)).To(Succeed())
		g.Expect(c.published(g)).To(Equal(want), fault)
	}
	c := broken(t, "renames-devices-in-use")
	g.Expect(c.publish(t.Context(), c)).To(Succeed())
	for range 2 {
		_, err := c.prepare(t.Context(), "one")
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(c.published(g)).To(Equal([]string{"node 1001 1: 8 devices"}))
	g.Expect(c.devices()[0].Name).To(Equal("renamed-device-00"))

	before, after := broken(t, "renames-devices-at-restart"), broken(t, "renames-devices-at-restart")
	g.Expect(before.devices()[0].Name).NotTo(Equal(after.devices()[0].Name))
}
