// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

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

// prioritizedListConfiguresByClassTaken creates a DeviceClass with a
// configuration for each of two subrequests, the first of which does not fit,
// and a second request without a configured class.
var prioritizedListConfiguresByClassTaken = suite.Spec{
	ID:          "prioritized-list-configures-by-class-taken",
	Description: "The allocation has the configuration of the allocated subrequest's DeviceClass, for this request only, and none of the other subrequests' classes.",
	Profile:     profile,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents},
	MinNodes:    1,
	OneNode:     true,
	Needs:       []env.Need{env.NeedsDeviceClasses},
	Requirements: []string{
		"4816-configuration-of-the-chosen-class",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)
		other := devices.Request{Name: "other", Device: sub.small.Device}
		for _, a := range []*devices.SubRequest{&sub.whole, &sub.small} {
			a.Device = claims.CreateDeviceClass(ctx, e, a.Name, a.Device, resourceapi.DeviceClassConfiguration{DeviceConfiguration: configuration(a.Name)})
		}

		pods.CreateWithRequests(ctx, e, "list", []devices.Request{fixture.FirstAvailable("list", twoOf(sub.whole), sub.small), other})
		expectRunningFor(ctx, e, "list", "a parent is one whole device and not two", "list/small", "other")

		got := claims.GetAllocation(ctx, e, "list").Config
		const source = resourceapi.AllocationConfigSourceClass
		gomega.Expect(configurationsFor(got, source, "list", "list/small")).To(gomega.Equal([]string{"small"}), "the allocated subrequest should have the configuration of its class")
		gomega.Expect(configurationsFor(got, source, "other")).To(gomega.BeEmpty(), "the class of the other request has no configuration, and that of the list applies to the list only")
		gomega.Expect(configurationsFor(got, source, "list/whole")).To(gomega.BeEmpty(), "a subrequest that was not allocated should have no configuration")
	},
}
