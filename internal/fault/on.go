// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package fault

import (
	"time"

	"github.com/draconform/draconform/internal/switches"
)

var faults = switches.New(Variable)

// on declares a fault and reports whether it is on.
func on(name string) bool { return faults.On(name) }

var started = time.Now()

// Early reports whether an object was created before the program started.
// Faults that forget earlier state use it.
func Early(created time.Time) bool { return created.Before(started) }

func init() { faults.ExitIfUnknown("fault") }
