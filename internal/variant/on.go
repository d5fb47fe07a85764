// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_variants

package variant

import "github.com/draconform/draconform/internal/switches"

var variants = switches.New(Variable)

// on declares a variant and reports whether it is on.
func on(name string) bool { return variants.On(name) }

func init() { variants.ExitIfUnknown("variant") }
