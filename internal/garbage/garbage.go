// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package garbage makes short-lived processes collect garbage rarely. Their heaps are
// small, so that this takes little memory and saves processor time. A user who has set
// GOGC decides instead.
package garbage

import (
	"os"
	"runtime/debug"
	"strconv"
)

// Values of GOGC: how much the heap grows until garbage is collected, in percent.
const (
	// Components is for the components of a control plane.
	Components = 300
	// Specs is for processes that run specs. It saves a sixth of the processor time of
	// workers. Most unit tests of specs end before they have allocated much.
	Specs = 400
)

// variable is the environment variable of the Go runtime.
const variable = "GOGC"

// Environ returns the environment variable for a process, as key=value. It returns nil
// if the user has set it.
func Environ(percent int) []string {
	if os.Getenv(variable) != "" {
		return nil
	}
	return []string{variable + "=" + strconv.Itoa(percent)}
}

// SetPercent sets the value of this process, unless the user has set it.
func SetPercent(percent int) {
	if os.Getenv(variable) == "" {
		debug.SetGCPercent(percent)
	}
}
