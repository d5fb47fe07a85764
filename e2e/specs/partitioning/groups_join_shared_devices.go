// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// groupsJoinSharedDevices publishes the devices of groups-join-allocated-devices as shared
// ones, and allocates shares of them in the same way.
var groupsJoinSharedDevices = suite.Spec{
	ID:           "groups-join-shared-devices",
	Description:  "A device of which a claim has a share counts like others for the compatibility groups of the devices with counters of the same set.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(groupFeatures), features.SharedDevices),
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5963-common-group", "5963-without-groups"},
	Body: func(ctx context.Context, e *env.Env) {
		expectGroupsJoin(ctx, e, func(device *resourceapi.Device) { device.AllowMultipleAllocations = ptr.To(true) })
	},
}
