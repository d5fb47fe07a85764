// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
)

// multiHostFollowsNodes withdraws a node from the driver, and another one if there are at least
// three. It takes that back for the first node and then for the other one. It reads the
// driver's ResourceSlices meanwhile, and compares those of before, in between and
// afterwards.
var multiHostFollowsNodes = suite.Spec{
	ID:           "multi-host-follows-nodes",
	Description:  "While nodes are withdrawn from a driver of multi-host devices, its pools are complete and offer no device that spans one of them. When a node is back, they offer the same devices of it again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     multiHostFeatures,
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindMultiHost},
	Fields:       []subject.Field{subject.MultiHostWithdrawn},
	MinNodes:     2,
	Alone:        true,
	Requirements: []string{"4815-devices-follow-nodes", "4381-pools-are-complete"},
	Body: func(ctx context.Context, e *env.Env) {
		driver := e.Subject.MultiHost.Pair.Driver
		before := devices.WaitForOffer(ctx, e, driver)
		hosts, err := devices.ListHosts(ctx, e, driver)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(hosts).NotTo(gomega.BeEmpty(), "the devices of driver %s should select nodes", driver)
		stop := devices.ExpectPoolsNeverWrong(ctx, e, driver)

		withdrawn := []string{hosts[0]}
		if len(hosts) > 2 {
			withdrawn = append(withdrawn, hosts[len(hosts)-1])
		}
		var takeBack []func(context.Context)
		for i, node := range withdrawn {
			takeBack = append(takeBack, drivers.WithdrawNode(ctx, e, node))
			// The earlier ones prove something once the driver has heeded the last one.
			for j := i; j >= 0; j-- {
				devices.WaitForWithdrawn(ctx, e, before, driver, withdrawn[j])
			}
		}
		for i, node := range withdrawn {
			takeBack[i](ctx)
			devices.WaitForReturned(ctx, e, before, driver, node, withdrawn[i+1:]...)
		}
		stop()
	},
}
