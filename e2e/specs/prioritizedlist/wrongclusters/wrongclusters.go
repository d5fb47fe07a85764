// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// prioritized-list must detect.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongAlternatives, wrongLists, wrongCounts, wrongPreferences, wrongServers, preferring(false))

// Lacking are clusters whose schedulers, which are foreign ones, choose nodes by other criteria than lists. Specs of
// preferences do not apply to them.
var Lacking = preferring(true)
