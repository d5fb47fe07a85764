// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// slicesAreSelectedByField publishes slices of two nodes and one of all nodes, and
// lists slices by their driver and node.
var slicesAreSelectedByField = suite.Spec{
	ID:           "slices-are-selected-by-field",
	Description:  "ResourceSlices can be listed by the field selectors spec.driver and spec.nodeName. Those that are not of one node have an empty node name.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-slices-by-node", "4381-slices-by-driver"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for i, device := range []string{"first", "second"} {
			sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[i]}, fixture.Devices(device))
		}
		sim.CreatePool(ctx, simulated.Pool{Name: e.UniqueName()}, fixture.Devices("everywhere"))

		driver, node := resourceapi.ResourceSliceSelectorDriver+"=", resourceapi.ResourceSliceSelectorNodeName+"="
		ofDriver := driver + sim.Driver + ","
		expectSelected(ctx, e, sim, driver+sim.Driver, "first", "second", "everywhere")
		expectSelected(ctx, e, sim, driver+sim.OtherDriver())
		expectSelected(ctx, e, sim, ofDriver+node+sim.Names[0], "first")
		expectSelected(ctx, e, sim, ofDriver+node+sim.Names[1], "second")
		expectSelected(ctx, e, sim, ofDriver+node, "everywhere")
		expectSelected(ctx, e, sim, driver+sim.OtherDriver()+","+node+sim.Names[0])
		expectSelected(ctx, e, sim, node+sim.Names[0], "first")
	},
}

// expectSelected asserts which devices the slices have that a field selector
// selects. Drivers of the cluster may publish slices for simulated nodes, too.
func expectSelected(ctx context.Context, e *env.Env, sim *simulated.Nodes, selector string, want ...string) {
	ginkgo.GinkgoHelper()
	listed, err := e.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: selector})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should support the field selector %s", selector)
	got := []string{}
	for _, slice := range listed.Items {
		if slice.Spec.Driver != sim.Driver {
			continue
		}
		for _, device := range slice.Spec.Devices {
			got = append(got, device.Name)
		}
	}
	gomega.Expect(got).To(gomega.ConsistOf(want), "the field selector %s should select the slices with these devices", selector)
}
