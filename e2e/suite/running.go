package suite

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// running reports whether all containers of a pod run. The phase is not
// sufficient: it is also Running between two restarts of a container.
func running(pod *corev1.Pod) bool {
	all := pod.Status.ContainerStatuses
	return pod.Status.Phase == corev1.PodRunning && !slices.ContainsFunc(all, func(c corev1.ContainerStatus) bool { return c.State.Running == nil })
}

// ended reports whether a container of a pod has run and ended. The workload
// only exits when it is instructed to.
func ended(pod *corev1.Pod) bool {
	switch {
	case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
		return true // These phases are final.
	case pod.Spec.RestartPolicy == corev1.RestartPolicyAlways:
		return false // The spec expects restarts.
	}
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return hasRun(c.State.Terminated) || hasRun(c.LastTerminationState.Terminated)
	})
}

// hasRun reports whether a terminated container had started. It is false if the
// container runtime failed to start the container, which may be due to a busy
// host. The next attempt can then succeed. If the failure is due to the CDI
// devices of the driver, no attempt succeeds.
func hasRun(t *corev1.ContainerStateTerminated) bool { return t != nil && t.StartedAt.Unix() > 0 }
