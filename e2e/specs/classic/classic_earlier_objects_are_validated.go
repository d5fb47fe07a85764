// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicEarlierObjectsAreValidated writes classes and claims of Kubernetes 1.30 that are wrong
// in one field each.
var classicEarlierObjectsAreValidated = suite.Spec{
	ID:           "classic-earlier-objects-are-validated",
	Description:  "References to parameters have a kind and a name, the allocation mode and the driver of a class are valid, an allocation states its driver and has data for at most 32 plugins, and the mode cannot be changed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-earlier-validation"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		refs := map[string]map[string]any{"kind": {"name": "parameters"}, "name": {"kind": "ConfigMap"}}
		for missing, ref := range refs {
			err := c.TryCreateClass(ctx, "wrong", map[string]any{"driverName": c.Driver("a"), "parametersRef": ref})
			expectInvalid(err, "parametersRef."+missing+": Required value", "a class with parameters without "+missing)
			err = c.TryCreateClaim(ctx, "wrong", map[string]any{"resourceClassName": c.Class, "parametersRef": ref})
			expectInvalid(err, "parametersRef."+missing+": Required value", "a claim with parameters without "+missing)
		}
		err := c.TryCreateClass(ctx, "wrong", map[string]any{"driverName": "Not_A_Driver"})
		expectInvalid(err, "driverName: Invalid value", "a class whose driver is no name of a driver")
		err = c.TryCreateClaim(ctx, "wrong", map[string]any{"resourceClassName": c.Class, "allocationMode": "Later"})
		expectInvalid(err, "spec.allocationMode: Unsupported value", "an unknown allocation mode")
		c.CreateClaim(ctx, "claim", classic.Immediate)
		expectInvalid(c.TryChangeMode(ctx, "claim", classic.Delayed), "field is immutable", "another allocation mode")
		expectInvalid(c.TryStatus(ctx, "claim", map[string]any{"allocation": map[string]any{}}), "status.driverName: Required value", "an allocation by nobody")
		handles := make([]classic.ResourceHandle, 33)
		for i := range handles {
			handles[i].DriverName = c.Driver("a")
		}
		allocate := func(handles []classic.ResourceHandle) error {
			return c.TryStatus(ctx, "claim", map[string]any{"driverName": c.Driver("a"), "allocation": map[string]any{"resourceHandles": handles}})
		}
		expectInvalid(allocate(handles), "resourceHandles: Too long: may not be longer than 32", "data for 33 plugins")
		gomega.Expect(allocate(handles[:32])).To(gomega.Succeed(), "data for 32 plugins should be accepted")
	},
}
