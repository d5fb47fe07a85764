// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/versions"
)

// generationCountsChanges creates a ResourceSlice and a DeviceClass, and updates them in
// dry runs with and without a change of their spec.
var generationCountsChanges = suite.Spec{
	ID:           "generation-counts-changes",
	Description:  "The metadata.generation of a ResourceSlice and of a DeviceClass grows with each change of its spec, and with no other change.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-generations-count-changes"},
	Body: func(ctx context.Context, e *env.Env) {
		expectGenerations(ctx, e, "ResourceSlice", versions.Object{
			"driver": simulated.DriverNames(e)[0], "nodeName": "node.draconform.dev", "devices": []any{versions.Object{"name": "device"}},
			"pool": versions.Object{"name": "generation", "generation": 1, "resourceSliceCount": 1},
		}, func(spec versions.Object) { spec["devices"] = []any{versions.Object{"name": "other"}} })
		expectGenerations(ctx, e, "DeviceClass", versions.Object{
			"selectors": []any{versions.Object{"cel": versions.Object{"expression": "false"}}},
		}, func(spec versions.Object) { spec["selectors"] = nil })
	},
}

// expectGenerations creates an object of a kind and asserts its generations.
func expectGenerations(ctx context.Context, e *env.Env, kind string, spec versions.Object, change func(spec versions.Object)) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating an object of kind " + kind)
	api, name := versions.Of(e, versions.V1), e.UniqueName()+"-generation"
	created, err := api.Create(ctx, kind, name, spec)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	e.Cleanups = append(e.Cleanups, func(ctx context.Context) error { return api.Delete(ctx, kind, name) })
	first := versions.GenerationOf(created)
	gomega.Expect(first).To(gomega.BeNumerically(">", 0), "a new %s should have a generation", kind)
	update := func(what string, change func(versions.Object)) float64 {
		updated, err := api.DryRunUpdate(ctx, kind, name, "", change)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept an update of a %s with %s", kind, what)
		return versions.GenerationOf(updated)
	}
	gomega.Expect(update("no change", func(versions.Object) {})).To(gomega.Equal(first), "the generation of a %s should stay in an update without a change", kind)
	gomega.Expect(update("a label", func(o versions.Object) {
		o["metadata"].(versions.Object)["labels"] = versions.Object{note: "changed"}
	})).To(gomega.Equal(first), "the generation of a %s should stay when its labels change", kind)
	gomega.Expect(update("another spec", func(o versions.Object) { change(o["spec"].(versions.Object)) })).To(gomega.BeNumerically(">", first), "the generation of a %s should grow when its spec changes", kind)
}
