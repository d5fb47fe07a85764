// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// extendedResourceNamesAreDropped creates DeviceClasses with names of extended
// resources in dry runs, and expects them without these.
var extendedResourceNamesAreDropped = suite.Spec{
	ID:             "extended-resource-names-are-dropped",
	Description:    "Without the feature, the API server drops the names of extended resources from DeviceClasses, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.ExtendedResources},
	Component:      env.Cluster,
	Needs:          []env.Need{env.NeedsDeviceClasses},
	Requirements:   []string{"5004-off-drops-name"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "classes-off.yaml") },
}
