// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

// sharedSlicesAreValid is slicesAreValid for shared devices.
var sharedSlicesAreValid = forEachPublished([]string{"shared-slices-are-valid"}, slicesOfKind, expectValidSlices)
