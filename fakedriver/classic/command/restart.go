// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"syscall"

	"k8s.io/klog/v2"
)

// restart replaces the process by one with the same command line, as after kill -9:
// nothing is cleaned up, and nothing in memory remains. If the process ended, the
// kubelet would restart its container with a back-off that doubles each time. It does
// not return.
func restart() {
	executable, err := os.Executable()
	if err == nil {
		err = syscall.Exec(executable, os.Args, os.Environ()) //nolint:gosec // The command line is that of this process.
	}
	klog.ErrorS(err, "Could not restart in place")
	klog.FlushAndExit(klog.ExitFlushTimeout, 1)
}
