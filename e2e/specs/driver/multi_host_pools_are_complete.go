// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

// multiHostPoolsAreComplete is poolsAreComplete for multi-host devices.
var multiHostPoolsAreComplete = forEachPublished([]string{"multi-host-pools-are-complete"}, poolsOfKind, waitForCompletePools)
