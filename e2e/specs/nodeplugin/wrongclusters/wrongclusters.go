// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// node-plugin must detect.
package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongRegistrations, wrongAnswers, wrongCalls, wrongRejections, wrongFiles, wrongPodResources, wrongOrders, wrongEnds, wrongAdmins)

// Lacking are clusters whose drivers lack something that they may lack. Some specs
// do not apply to them, and others pass.
var Lacking = wrong.Join(withoutFiles, withoutCDI, withoutOperations, withoutShareIDs, withoutValidation)
