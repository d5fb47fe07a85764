// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

// sharedPoolsAreComplete is poolsAreComplete for shared devices.
var sharedPoolsAreComplete = forEachPublished([]string{"shared-pools-are-complete"}, poolsOfKind, waitForCompletePools)
