// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintFieldsAreValidated creates slices with taints and claims with tolerations
// in dry runs, right and wrong ones.
var taintFieldsAreValidated = suite.Spec{
	ID:           "taint-fields-are-validated",
	Description:  "The API server stores taints of devices and tolerations of requests, and rejects those that contradict the documentation of the fields.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Cluster,
	Since:        "1.35", // 1.34 has other limits, and rejects the effect None.
	Requirements: []string{"5055-fields-kept", "5055-taint-is-valid", "5055-toleration-is-valid", "5055-limits"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects.yaml") },
}
