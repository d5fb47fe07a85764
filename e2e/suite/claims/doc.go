// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package claims creates, reads and deletes ResourceClaims and what they refer
// to: ResourceClaimTemplates and DeviceClasses.
package claims
