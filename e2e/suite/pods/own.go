// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// containersAnnotation is an annotation of pods with the names of their containers and init
// containers, as the spec has created them. A webhook of the cluster may add others, such as the proxy of a
// service mesh, whose failures and whose end say nothing about devices.
const containersAnnotation = "draconform.dev/containers"

// stateContainers notes in a new pod which containers are those of the spec.
func stateContainers(pod *corev1.Pod) {
	var names []string
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		names = append(names, c.Name)
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[containersAnnotation] = strings.Join(names, ",")
}

// isOwn reports whether a container is one that the spec gave its pod. All containers of a
// pod that does not state them are.
func isOwn(pod *corev1.Pod, container string) bool {
	names, isStated := pod.Annotations[containersAnnotation]
	return !isStated || slices.Contains(strings.Split(names, ","), container)
}

// ownStatuses returns the statuses of the containers that the spec gave a pod, without those
// of init containers.
func ownStatuses(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.DeleteFunc(slices.Clone(pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool { return !isOwn(pod, c.Name) })
}

// keeper is a container that the cluster has added to a pod and that keeps it from ending. The
// pod would have a final phase without it.
type keeper struct {
	want      corev1.PodPhase
	container string
	since     time.Time
}

// look looks for such a container: it runs, and those that the spec gave the pod have ended as
// they should.
func (k *keeper) look(pod *corev1.Pod) {
	container := ""
	wouldEnd := phaseWithoutOthers(pod) == k.want
	for _, c := range pod.Status.ContainerStatuses {
		if wouldEnd && !isOwn(pod, c.Name) && c.State.Running != nil {
			container = c.Name
		}
	}
	if container != k.container {
		k.container, k.since = container, time.Now()
	}
}

// phaseWithoutOthers returns the final phase that a pod whose containers are not restarted would
// have if it only had the containers that the spec gave it. It is empty while one of them has
// not ended.
func phaseWithoutOthers(pod *corev1.Pod) corev1.PodPhase {
	own := ownStatuses(pod)
	if len(own) == 0 || slices.ContainsFunc(own, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil }) {
		return ""
	}
	if slices.ContainsFunc(own, func(c corev1.ContainerStatus) bool { return c.State.Terminated.ExitCode != 0 }) {
		return corev1.PodFailed
	}
	return corev1.PodSucceeded
}

// isCertain reports whether the container goes on for longer than those that end after the
// others.
func (k *keeper) isCertain(e *env.Env) bool {
	return k.container != "" && time.Since(k.since) >= lasting*e.Timeouts.Stable
}

// named returns how messages call a container: those that the cluster has added have a name.
func named(pod *corev1.Pod, container string) string {
	if isOwn(pod, container) {
		return "container"
	}
	return fmt.Sprintf("container %s, which the cluster has added,", container)
}
