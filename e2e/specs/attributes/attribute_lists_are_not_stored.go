// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeListsAreNotStored creates devices with lists of values in dry runs. The
// API server may reject what remains of an attribute without its list.
var attributeListsAreNotStored = suite.Spec{
	ID:             "attribute-lists-are-not-stored",
	Description:    "Without the feature, the API server stores no attributes with lists of values: it drops the lists, or rejects the devices. It stores other attributes.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.ListAttributes},
	Component:      env.Cluster,
	Requirements:   []string{"5491-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "lists-off.yaml") },
}
