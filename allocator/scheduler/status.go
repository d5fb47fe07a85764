// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/internal/variant"
)

// unschedulable returns the status for pods and nodes that evicting other pods does not help. Devices are
// released with their claims, which can be shared and can outlive pods.
func unschedulable(format string, args ...any) *fwk.Status {
	if variant.ReportsInOtherWords && format == cannotAllocate {
		format = "its devices do not suffice"
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf(format, args...))
}
