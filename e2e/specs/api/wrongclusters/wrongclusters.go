// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// api must detect.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongFields, wrongDefaults, wrongValidations, wrongUpdates, wrongStatuses, wrongWriters, wrongTemplates, wrongNodeRights)

// Lacking are clusters that do not authorize kubelets by their nodes.
var Lacking = withoutNodeRights
