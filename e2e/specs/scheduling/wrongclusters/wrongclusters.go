// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// scheduling must detect.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongSlices, wrongAttributes, wrongClaims, wrongConsumers, wrongWaits, wrongBindings, wrongMetrics, wrongSelections, wrongChanges, wrongCombinations, wrongMixtures, wrongDetails)

// Lacking are clusters whose schedulers evict no pods for others, so that specs of preemption do
// not apply to them, and those in which others than what is tested keep pods from nodes.
var Lacking = wrong.Join(withoutPreemption, amongWebhooks)
