// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// slicesUseStandardAttributes compares the attributes of the domain
// resource.kubernetes.io in the ResourceSlices of drivers with their documented
// formats. A driver need not publish them.
var slicesUseStandardAttributes = forEachPublished(
	[]string{"exclusive-slices-use-standard-attributes", "multi-host-slices-use-standard-attributes", "shared-slices-use-standard-attributes"},
)

// forEachPublished returns a spec for each of the IDs, which begin with a kind of
// devices. Unlike those of forEachKind, the specs need no pods.
func forEachPublished(ids []string) []suite.Spec {
	var specs []suite.Spec
	for _, id := range ids {
		k := kindOfID(id)
		specs = append(specs, suite.Spec{
			ID:           id,
			Description:  "The standard attributes of ResourceSlices of a driver of " + string(k.Kind) + " devices, such as the PCIe root, have the format that all drivers use, so that constraints can compare them.",
			Profile:      profile,
			Level:        suite.Provisional,
			Features:     k.features,
			Component:    env.Driver,
			Kinds:        []subject.Kind{k.Kind},
			MinNodes:     1,
			Requirements: []string{"4381-standard-attributes"},
			Body: func(ctx context.Context, e *env.Env) {
				devices.ExpectStandardAttributes(ctx, e, k.device(e.Subject).Driver)
			},
		})
	}
	return specs
}
