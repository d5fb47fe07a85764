package scheduler

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"
)

// unschedulable is the status of pods and nodes that evicting other pods does not help: devices are released with
// their claims, which may be shared and outlive pods.
func unschedulable(format string, args ...any) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf(format, args...))
}
