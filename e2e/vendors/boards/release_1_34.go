// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes_1_34

package main

// countersWithDevices states that devices can only consume counters of their own
// slice.
const countersWithDevices = true

// metadata returns no options: the release has no device metadata files.
func metadata() []any { return nil }
