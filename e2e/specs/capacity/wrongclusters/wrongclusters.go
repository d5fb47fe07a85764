// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// capacity must detect.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongShares, wrongAmounts, wrongCounters, wrongDistinct, wrongCombinations, wrongPolicies, wrongFractions, wrongServers)
