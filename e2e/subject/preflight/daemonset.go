// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject/published"
)

// checkDaemonSet checks that the DaemonSet of the driver exists and is ready.
func (c *checker) checkDaemonSet() error {
	of := c.file.DaemonSet
	if of == nil {
		c.report(Warning, "daemonset", "daemonSet", "not given: specs that restart the driver cannot run. Add daemonSet, and allow what a run may do with it")
		return nil
	}
	set, err := c.client.AppsV1().DaemonSets(of.Namespace).Get(c.ctx, of.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		c.report(Problem, "daemonset", "daemonSet", "DaemonSet %s/%s does not exist: list those of the cluster with \"kubectl get daemonsets -A\"", of.Namespace, of.Name)
		return nil
	case apierrors.IsForbidden(err):
		c.report(Problem, "daemonset", "daemonSet", "the DaemonSet cannot be read: %v", err)
		return nil
	case err != nil:
		return fmt.Errorf("get DaemonSet %s/%s: %w", of.Namespace, of.Name, err)
	}
	containers := set.Spec.Template.Spec.Containers
	if of.Container != "" && !slices.ContainsFunc(containers, func(c corev1.Container) bool { return c.Name == of.Container }) {
		var names []string
		for i := range containers {
			names = append(names, containers[i].Name)
		}
		c.report(Problem, "daemonset", "daemonSet.container", "DaemonSet %s/%s has no container %s, it has %s", of.Namespace, of.Name, of.Container, strings.Join(names, ", "))
	}
	if c.file.Allow.Update != nil {
		c.checkUpdate(containers)
	}
	switch s := set.Status; {
	case s.DesiredNumberScheduled == 0:
		c.report(Problem, "daemonset", "daemonSet", "no node matches the node selector and the tolerations of DaemonSet %s/%s, so that it has no pods", of.Namespace, of.Name)
	case s.NumberReady == 0:
		c.report(Problem, "daemonset", "daemonSet", "none of the %d pods of DaemonSet %s/%s is ready%s: look at their events and logs", s.DesiredNumberScheduled, of.Namespace, of.Name, c.whyNotReady(set))
	case s.NumberReady < s.DesiredNumberScheduled:
		c.report(Warning, "daemonset", "daemonSet", "%d of %d pods of DaemonSet %s/%s are ready%s: specs on the nodes of the others fail. Look at their events and logs", s.NumberReady, s.DesiredNumberScheduled, of.Namespace, of.Name, c.whyNotReady(set))
	case c.driver != nil && int(s.DesiredNumberScheduled) < len(published.Nodes(c.driver.Devices)):
		c.report(Warning, "daemonset", "daemonSet", "DaemonSet %s/%s has %d pods, and %d nodes have devices of the driver: the ResourceSlices of the others may be left over", of.Namespace, of.Name, s.DesiredNumberScheduled, len(published.Nodes(c.driver.Devices)))
	default:
		c.report(OK, "daemonset", "daemonSet", "all %d pods of DaemonSet %s/%s are ready", s.NumberReady, of.Namespace, of.Name)
	}
	return nil
}

// whyNotReady describes the first container of a DaemonSet's pods that is not ready.
// It is empty if there is none, or if the pods cannot be read.
func (c *checker) whyNotReady(set *appsv1.DaemonSet) string {
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return ""
	}
	pods, err := c.client.CoreV1().Pods(set.Namespace).List(c.ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return ""
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		for _, status := range pod.Status.ContainerStatuses {
			ended := cmp.Or(status.State.Terminated, status.LastTerminationState.Terminated)
			switch waits := status.State.Waiting; {
			case !metav1.IsControlledBy(pod, set) || status.Ready:
			case waits != nil && ended != nil:
				return fmt.Sprintf(", container %s of pod %s is in %s after exit code %d", status.Name, pod.Name, waits.Reason, ended.ExitCode)
			case waits != nil:
				return fmt.Sprintf(", container %s of pod %s is in %s: %s", status.Name, pod.Name, waits.Reason, waits.Message)
			}
		}
	}
	return ""
}

// checkUpdate checks that the image of an update is another one.
func (c *checker) checkUpdate(containers []corev1.Container) {
	for i := range containers {
		named := containers[i].Name == c.file.DaemonSet.Container || c.file.DaemonSet.Container == "" && i == 0
		if named && containers[i].Image == c.file.Allow.Update.Image {
			c.report(Problem, "daemonset", "allow.update.image", "container %s already has the image %s: an update needs another one", containers[i].Name, containers[i].Image)
		}
	}
}
