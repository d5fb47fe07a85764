// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

// multiHostSlicesAreValid is slicesAreValid for multi-host devices.
var multiHostSlicesAreValid = forEachPublished([]string{"multi-host-slices-are-valid"}, slicesOfKind, expectValidSlices)
