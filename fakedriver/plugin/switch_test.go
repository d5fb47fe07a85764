// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults || draconform_variants

package plugin_test

import "testing"

// turnOn turns a fault or a variant on until the end of a test.
func turnOn(t *testing.T, is *bool) {
	t.Helper()
	*is = true
	t.Cleanup(func() { *is = false })
}
