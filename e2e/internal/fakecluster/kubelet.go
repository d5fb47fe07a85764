// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// kubelets is the state of the kubelets.
type kubelets struct {
	// prepared are the claims that were prepared and not yet unprepared.
	prepared map[use]bool
	// attempted are the claims that drivers were called to prepare, successfully or
	// not, and that were not unprepared.
	attempted map[use]bool
	// stored are the devices of these claims, as the drivers returned them.
	stored map[use][]heldDevice
	// extended are those of prepared for the extended resources of a pod.
	extended map[use]bool
	// namesakes are the claims of other namespaces whose devices kubelets with faults give to
	// the containers of claims.
	namesakes map[use]use
	// shown are the devices that claims had when containers first saw them.
	shown map[use][]resourceapi.DeviceRequestAllocationResult
	// unpreparing are the claims that drivers were called to unprepare, and that they have
	// not unprepared yet.
	unpreparing map[use]bool
	// uncertain are the claims of prepared for which a restarted kubelet does
	// not know whether the driver still has them prepared.
	uncertain map[use]bool
	// down are the nodes whose kubelet does not run.
	down map[string]bool
	// failed are the pods whose claims the driver failed to prepare or unprepare,
	// by UID.
	failed map[types.UID]failure
	// restarts are those of the driver when pods were started, by UID.
	restarts map[types.UID]int
}

func newKubelets() kubelets {
	return kubelets{prepared: map[use]bool{}, attempted: map[use]bool{}, stored: map[use][]heldDevice{}, extended: map[use]bool{}, namesakes: map[use]use{}, shown: map[use][]resourceapi.DeviceRequestAllocationResult{}, unpreparing: map[use]bool{}, uncertain: map[use]bool{}, down: map[string]bool{}, failed: map[types.UID]failure{}, restarts: map[types.UID]int{}}
}

// isForSimulatedNodes reports whether a pod is for nodes that a spec simulates.
// They have no kubelet. Other pods select nodes by their operating system, or do
// not select nodes.
func isForSimulatedNodes(pod *corev1.Pod) bool {
	_, os := pod.Spec.NodeSelector[corev1.LabelOSStable]
	return len(pod.Spec.NodeSelector) > 0 && !os
}

// startPods starts the pods that are bound to a node.
func (c *Cluster) startPods() error {
	all, err := c.sharedPods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		if err := c.restartCompleted(pod); err != nil {
			return err
		}
		if pod.Spec.NodeName == "" || isForSimulatedNodes(pod) || pod.Status.Phase != corev1.PodPending && !hasStartError(pod) {
			continue
		}
		if !c.due("start pod", key(pod)) || c.LooksAgain && len(pod.Annotations) == 0 {
			continue
		}
		if err := c.start(pod.DeepCopy()); err != nil {
			return fmt.Errorf("start pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// start starts the containers of a pod, or writes why they are not started.
func (c *Cluster) start(pod *corev1.Pod) error {
	status := corev1.ContainerStatus{Name: pod.Spec.Containers[0].Name, ContainerID: "fake://" + string(pod.UID)}
	switch {
	case c.Mistakes.NeverStarts:
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{status}
		if err := c.recordEvent(pod, "FailedPrepareDynamicResources", "the driver does not answer"); err != nil {
			return err
		}
		return c.update(pods, pod)
	case c.Mistakes.EndsPods:
		pod.Status.Phase = corev1.PodRunning
		status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error", StartedAt: metav1.Now()}
	default:
		if c.Mistakes.StartsInitUnprepared {
			startInitContainers(pod)
			if err := c.update(pods, pod); err != nil {
				return err
			}
		}
		if err := c.prepare(pod); err != nil && !c.Mistakes.StartsUnprepared {
			return c.reportNotStarted(pod, err)
		}
		c.run(pod, &status)
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{status}
	for _, further := range pod.Spec.Containers[1:] {
		one := *status.DeepCopy()
		one.Name, one.ContainerID = further.Name, "fake://"+further.Name+"-"+string(pod.UID)
		if further.Name == proxy {
			runProxy(pod, &one)
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, one)
	}
	c.setLimits(pod)
	if c.Mistakes.RestartEndsPodsLater && c.restarts[component{"kubelet", pod.Spec.NodeName}] > 0 {
		if err := c.restartContainers(pod.Spec.NodeName, "kubelet"); err != nil {
			return err
		}
	}
	return c.update(pods, pod)
}

// run runs the containers of a pod whose claims are prepared. It writes the status of the
// first one.
func (c *Cluster) run(pod *corev1.Pod, status *corev1.ContainerStatus) {
	pod.Status.Phase = corev1.PodRunning
	c.kubelets.restarts[pod.UID] = c.restarts[component{"driver", pod.Spec.NodeName}]
	startInitContainers(pod)
	args := pod.Spec.Containers[0].Args
	once := slices.Contains(args, "--once")
	switch {
	case c.Mistakes.BreaksContainers || c.Stumbles && !hasStartError(pod):
		status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: 128, Reason: startError, StartedAt: metav1.Unix(0, 0)}
	case once && pod.Spec.RestartPolicy == corev1.RestartPolicyNever:
		pod.Status.Phase = corev1.PodSucceeded
		status.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: metav1.Now()}
	case slices.Contains(args, "--fail"):
		pod.Status.Phase = corev1.PodFailed
		status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", StartedAt: metav1.Now()}
	default:
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.Now()}
		if once {
			status.RestartCount = 1
			status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: metav1.Now()}
		}
	}
}

// reportNotStarted reports that a pod is not started, because its claims are not
// prepared.
func (c *Cluster) reportNotStarted(pod *corev1.Pod, why error) error {
	if !c.OtherWords {
		return c.recordEvent(pod, "FailedPrepareDynamicResources", why.Error())
	}
	message := []string{"The devices are not ready:"}
	for _, claim := range pod.Spec.ResourceClaims {
		message = append(message, claim.Name)
	}
	return c.recordEvent(pod, "Waiting", strings.Join(message, " "))
}

// startInitContainers makes the init containers of a pod run and complete,
// unless they have.
func startInitContainers(pod *corev1.Pod) {
	if len(pod.Status.InitContainerStatuses) > 0 {
		return
	}
	for _, container := range pod.Spec.InitContainers {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, ContainerID: "fake://" + container.Name + "-" + string(pod.UID),
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: metav1.Now(), FinishedAt: metav1.Now()}},
		})
	}
}

// endContainers ends the containers of a deleted pod, after the time that its
// hook takes. It reports whether they have ended.
func (c *Cluster) endContainers(pod *corev1.Pod) (bool, error) {
	for _, container := range pod.Spec.Containers {
		if hook := container.Lifecycle; hook != nil && time.Since(pod.DeletionTimestamp.Time) < time.Duration(hook.PreStop.Sleep.Seconds)*time.Second {
			return false, nil
		}
	}
	ended := false
	for i := range pod.Status.ContainerStatuses {
		state := &pod.Status.ContainerStatuses[i].State
		if running := state.Running; running != nil {
			ended = true
			*state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: running.StartedAt, FinishedAt: metav1.Now()}}
		}
	}
	if !ended {
		return true, nil
	}
	return true, c.update(pods, pod)
}

// startError is the reason of a terminated container that the runtime could not
// start.
const startError = "StartError"

// hasStartError reports whether the container of a pod could not be started.
func hasStartError(pod *corev1.Pod) bool {
	all := pod.Status.ContainerStatuses
	return len(all) > 0 && all[0].State.Terminated != nil && all[0].State.Terminated.Reason == startError
}
