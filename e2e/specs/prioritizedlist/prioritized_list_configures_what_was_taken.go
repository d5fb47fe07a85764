// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// prioritizedListConfiguresWhatWasTaken creates a claim with a list whose
// first subrequest does not fit. Its configuration has entries for each
// subrequest, for the request, for another request and for all.
var prioritizedListConfiguresWhatWasTaken = suite.Spec{
	ID:          "prioritized-list-configures-what-was-taken",
	Description: "The allocation has the configuration of the claim that is for the allocated subrequest or for its request, in the order of the claim, and none that is for another subrequest.",
	Profile:     profile,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4816-configuration-for-all-alternatives",
		"4816-configuration-for-one-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)

		devices := devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", twoOf(sub.whole), sub.small), {Name: "other", Device: sub.small.Device}})
		for _, names := range [][]string{{"list/whole"}, {"list/small"}, {"list"}, {"other"}, {}, {"list/whole", "other"}} {
			devices.Config = append(devices.Config, resourceapi.DeviceClaimConfiguration{Requests: names, DeviceConfiguration: configuration(strings.Join(names, ","))})
		}
		pods.CreateWithClaim(ctx, e, "list", devices)
		expectRunningFor(ctx, e, "list", "a parent is one whole device and not two", "list/small", "other")

		got := claims.GetAllocation(ctx, e, "list").Config
		gomega.Expect(configurationsFor(got, resourceapi.AllocationConfigSourceClaim, "list", "list/small")).To(gomega.Equal([]string{"list/small", "list", ""}), "the allocated subrequest should have the configuration of the claim for it, its request, and all requests")
		gomega.Expect(configurationsFor(got, resourceapi.AllocationConfigSourceClaim, "other")).To(gomega.Equal([]string{"other", "", "list/whole,other"}), "the other request should have the configuration of the claim for it and all requests")
		gomega.Expect(configurationsFor(got, resourceapi.AllocationConfigSourceClaim, "list/whole")).NotTo(gomega.ContainElement("list/whole"), "the configuration for list/whole only should be left out, because it was not allocated")
	},
}
