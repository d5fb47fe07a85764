// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// eachDriverIsCalledForItsClaims runs a pod with three claims: for a device of each
// of two drivers, and for one of both. Each driver must be called for its two
// claims together, and never for the third.
var eachDriverIsCalledForItsClaims = suite.Spec{
	ID:           "each-driver-is-called-for-its-claims",
	Description:  "The kubelet has each driver prepare and unprepare the claims of a pod that have devices of the driver, in one call, and no other claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     twoDriverFeatures,
	Component:    env.Kubelet,
	Kinds:        twoDriverKinds,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverCalls},
	Requirements: []string{"4381-drivers-get-their-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		two := findTwoDrivers(e)
		uids := map[string]string{
			"exclusive": two.createClaim(ctx, e, "exclusive", two.exclusive),
			"shared":    two.createClaim(ctx, e, "shared", two.shared),
			"both":      two.createClaim(ctx, e, "both", two.exclusive, two.shared),
		}
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "exclusive", "shared", "both")
		pods.WaitForRunning(ctx, e, "pod")
		node := pods.GetNode(ctx, e, "pod")
		expectCalls := func(driver, method, own, other string) {
			drivers.ExpectCalledTogether(ctx, e, driver, node, method, map[string]string{own: uids[own], "both": uids["both"]})
			gomega.Expect(drivers.GetCalls(ctx, e, driver, node, method, other)).To(gomega.BeEmpty(),
				"%s of driver %s should not be called for claim %s, which has none of its devices", method, driver, other)
		}
		expectCalls(two.exclusive.Driver, operations.Prepare, "exclusive", "shared")
		expectCalls(two.shared.Driver, operations.Prepare, "shared", "exclusive")
		pods.Delete(ctx, e, "pod")
		expectCalls(two.exclusive.Driver, operations.Unprepare, "exclusive", "shared")
		expectCalls(two.shared.Driver, operations.Unprepare, "shared", "exclusive")
	},
}
