// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// slicesUseStandardAttributes compares the attributes of the domain
// resource.kubernetes.io in the ResourceSlices of drivers with their documented
// formats. A driver need not publish them.
var slicesUseStandardAttributes = forEachPublished(
	[]string{"exclusive-slices-use-standard-attributes", "multi-host-slices-use-standard-attributes", "shared-slices-use-standard-attributes"},
	suite.Spec{
		Description:  "The standard attributes of ResourceSlices of a driver of %s devices, such as the PCIe root, have the format that all drivers use, so that constraints can compare them.",
		Requirements: []string{"4381-standard-attributes"},
	},
	func(ctx context.Context, e *env.Env, k kind) {
		devices.ExpectStandardAttributes(ctx, e, k.device(e.Subject).Driver)
	})
