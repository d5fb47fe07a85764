// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"
	"time"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
)

// quickRestart is certainly less than the 30 s that a kubelet gives a driver to come back before it
// removes the ResourceSlices of the driver (pkg/kubelet/cm/dra, defaultWipingDelay).
const quickRestart = 20 * time.Second

// slicesStayAfterQuickRestart kills the driver on a node. The kubelet plans to remove the driver's
// slices when it notices that, and must not do so when the driver is back. The slices are compared from
// the time when the driver has published its devices: it may replace those of its previous process.
// Only a driver with a control endpoint tells when that is.
var slicesStayAfterQuickRestart = suite.Spec{
	ID:           "slices-stay-after-quick-restart",
	Description:  "When a driver was restarted, and was back on its node before the kubelet removes its ResourceSlices, these are neither deleted nor replaced afterwards.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart, env.NeedsDriverCalls},
	Requirements: []string{"4381-slices-of-restarted-drivers-stay"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		devices.WaitForCompletePools(ctx, e, device.Driver)
		killed := time.Now()
		drivers.Restart(ctx, e, device.Driver, device.node)
		if away := time.Since(killed); away > quickRestart {
			e.NotApplicable(fmt.Sprintf("needs a driver that is back %s after it was killed, and driver %s on node %s was back after %s", quickRestart, device.Driver, device.node, away.Round(time.Second)))
		}
		devices.WaitForCompletePools(ctx, e, device.Driver)
		devices.ExpectSlicesStay(ctx, e, device.Driver, device.node, fmt.Sprintf("the driver was away for less than %s", quickRestart))
	},
}
