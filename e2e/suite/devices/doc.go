// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package devices describes which devices claims request, and reads which
// devices the ResourceSlices of a cluster offer.
package devices
