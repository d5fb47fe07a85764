// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// skippedOperationsAreRecorded publishes devices in slices with different
// operations that kubelets skip. A claim requests one device of each slice.
var skippedOperationsAreRecorded = suite.Spec{
	ID:           "skipped-operations-are-recorded",
	Description:  "The allocation of a device has the operations that kubelets skip for it, as its ResourceSlice states them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5945-recorded"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNodes(ctx, e)
		skipped := map[string][]resourceapi.SkipNodeOperation{
			"any": all, "none": nil,
			"unprepare": {resourceapi.SkipNodeOperationNodeUnprepareResources},
			"both":      {resourceapi.SkipNodeOperationNodePrepareResources, resourceapi.SkipNodeOperationNodeUnprepareResources},
		}
		var requests []devices.Request
		for _, name := range []string{"any", "none", "unprepare", "both"} {
			publish(ctx, sim, name, skipped[name], name)
			requests = append(requests, devices.Request{Name: name, Device: fixture.RequestFor(sim, name)[0].Device})
		}
		pods.CreateWithRequests(ctx, e, "pod", requests)
		pods.WaitForScheduled(ctx, e, "pod")
		for _, result := range claims.GetAllocation(ctx, e, "pod").Results {
			// The API server may store the list, which is a set, in another order.
			got, want := slices.Sorted(slices.Values(result.SkipNodeOperations)), slices.Sorted(slices.Values(skipped[result.Request]))
			gomega.Expect(got).To(gomega.Equal(want), "the allocation of device %s should have the operations that kubelets skip for devices of its slice", result.Device)
		}
	},
}
