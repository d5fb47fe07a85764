package suite

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// running reports whether each container of a pod runs. The phase does not tell:
// a pod whose containers are started again is Running also between two of them.
func running(pod *corev1.Pod) bool {
	all := pod.Status.ContainerStatuses
	return pod.Status.Phase == corev1.PodRunning && !slices.ContainsFunc(all, func(c corev1.ContainerStatus) bool { return c.State.Running == nil })
}

// ended reports whether a container of a pod has run and ended, which the
// workload does only if it is told to.
func ended(pod *corev1.Pod) bool {
	switch {
	case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
		return true // It stays so.
	case pod.Spec.RestartPolicy == corev1.RestartPolicyAlways:
		return false // As the spec wants it.
	}
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return hasRun(c.State.Terminated) || hasRun(c.LastTerminationState.Terminated)
	})
}

// hasRun tells a container that ended from one that the container runtime failed
// to start, of which it says that it was never started. That may be due to a busy
// host, and then the next one starts. If it is due to what the driver described,
// no container ever does.
func hasRun(t *corev1.ContainerStateTerminated) bool { return t != nil && t.StartedAt.Unix() > 0 }
