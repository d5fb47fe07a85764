// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes_1_35

package main

// countersWithDevices states that a slice has either counters or devices
// (KEP-4815).
const countersWithDevices = false

// metadata returns no options: the release has no device metadata files.
func metadata() []any { return nil }
