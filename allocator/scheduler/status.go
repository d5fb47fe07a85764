// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"
)

// unschedulable returns the status for pods and nodes that evicting other pods does not help. Devices are
// released with their claims, which can be shared and can outlive pods.
func unschedulable(format string, args ...any) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf(format, args...))
}
