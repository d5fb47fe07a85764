// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podSeesItsDevice creates a pod with a claim for one device of any driver, and
// waits until the pod runs and its container sees this device.
var podSeesItsDevice = suite.Spec{
	ID:          "pod-sees-its-device",
	Description: "A pod with a claim for a device sees this device.",
	Profile:     "example",
	Features:    []features.Feature{features.Core},
	Component:   env.Driver,
	Kinds:       []subject.Kind{subject.KindExclusive},
	MinNodes:    1,
	Body: func(ctx context.Context, e *env.Env) {
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "device", Device: e.Subject.Exclusive.Device}})
		pods.WaitForRunning(ctx, e, "pod")
	},
}

// A cluster without worker nodes cannot run the spec.
func ExampleSpec() {
	target := env.Target{Found: features.Set{features.Core: {Present: true}}, Release: "v1.37.2"}
	for _, r := range suite.DryRun([]suite.Spec{podSeesItsDevice}, target) {
		fmt.Printf("%s: %s: %s\n", r.Spec.ID, r.Outcome, r.Reason)
	}
	// Output: pod-sees-its-device: not-applicable: needs 1 worker nodes, the cluster has 0
}
