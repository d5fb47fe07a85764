// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drivers stops, restarts and changes drivers, injects faults into
// them, and reads which calls they received.
package drivers
