// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// device-taints must detect.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongTaints, wrongTolerations, wrongEvictions, wrongChanges, wrongConditions, wrongRules, wrongRestarts, wrongServers)
