// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedulerlog has the log level of the scheduler's DRA code.
package schedulerlog

import (
	"fmt"
	"strings"
)

// DefaultVerbosity is the default log level. At this level, the scheduler logs why it
// did not allocate a claim.
const DefaultVerbosity = 6

// files are the source files of kube-scheduler that allocate claims, as patterns of its
// -vmodule flag.
var files = []string{"allocator*", "dra_manager*", "dynamicresources*", "pools*"}

// VModule returns the value of the scheduler's -vmodule flag for a log level. It is empty
// if the level is not positive.
func VModule(verbosity int) string {
	if verbosity <= 0 {
		return ""
	}
	modules := make([]string, len(files))
	for i, pattern := range files {
		modules[i] = fmt.Sprintf("%s=%d", pattern, verbosity)
	}
	return strings.Join(modules, ",")
}
