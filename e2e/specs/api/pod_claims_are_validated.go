// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// podClaimsAreValidated creates a pod with claims as a dry run, as it is and with changes that
// the documentation of their fields allows or forbids.
var podClaimsAreValidated = suite.Spec{
	ID:           "pod-claims-are-validated",
	Description:  "The API server stores the claims of a pod and of its containers. It rejects a pod with an entry that names no claim, or both a claim and a template, with two entries of the same name, or with a container that uses a claim that the pod does not have.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsOwnNamespace},
	Requirements: []string{"4381-pod-claims-are-checked"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectCreations(ctx, e, data, "pods.yaml") },
}
