// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !draconform_faults

package fault

import "time"

// Early reports false: without the build tag there are no faults.
func Early(time.Time) bool { return false }
