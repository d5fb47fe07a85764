// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podsDoNotSeeEachOthersDevices runs three pods with a claim each on one node at
// the same time, and compares what each of them reports with its own
// allocation.
var podsDoNotSeeEachOthersDevices = suite.Spec{
	ID:           "pods-do-not-see-each-others-devices",
	Description:  "Pods that run on a node at the same time see the device of their own claim each, and not that of another pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Sees:         subject.Identified,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-cdi-devices-reach-containers", "4381-claims-are-apart"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		var started []string
		for i := range 3 {
			started = append(started, device.start(ctx, e, fmt.Sprintf("claim-%d", i)))
		}
		for _, pod := range started {
			pods.WaitForRunning(ctx, e, pod)
		}
	},
}
