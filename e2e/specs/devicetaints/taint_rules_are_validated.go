// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintRulesAreValidated creates DeviceTaintRules in dry runs, right and wrong ones.
var taintRulesAreValidated = suite.Spec{
	ID:           "taint-rules-are-validated",
	Description:  "The API server stores DeviceTaintRules, and rejects those that contradict the documentation of their fields.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Cluster,
	Since:        "1.35", // 1.34 rejects the effect None.
	Requirements: []string{"5055-rule-is-valid"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "rules.yaml") },
}
