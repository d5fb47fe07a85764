// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// diskNeeds are those of specs that fill the disks of a driver.
var diskNeeds = []env.Need{env.NeedsDriverDisks, env.NeedsDriverCalls}

// failToPrepare fills disks of the driver, creates a claim and a pod of the same
// name on the node, and waits until the driver has failed to prepare the claim.
func (d deviceOnNode) failToPrepare(ctx context.Context, e *env.Env, name string, disk operations.Disk) {
	ginkgo.GinkgoHelper()
	drivers.FillDisk(ctx, e, d.Driver, d.node, disk)
	d.startAs(ctx, e, name)
	drivers.WaitForPrepareError(ctx, e, name, d.Driver, d.node, []string{"no space left on device"})
}
