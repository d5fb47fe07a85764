// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// driver must detect.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongDrivers, wrongRestarts, wrongContract, wrongCalls, wrongWholeDevices, wrongAnyDriver, wrongMetadata, wrongHealth, wrongStatus, wrongDisks, wrongTwoDrivers, wrongConfigured, wrongShares, wrongPartitions, wrongAdmins, wrongRemovals, wrongCaches)

// Lacking are clusters whose drivers lack something that they may lack, and those whose webhooks
// change or refuse pods. Specs do not apply to them.
var Lacking = wrong.Join(withoutCapabilities, withoutVisibility, amongWebhooks)
