// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/env"
)

// restartGracePeriod is the grace period of a driver's pod that is restarted, in
// seconds. With zero the API server would remove the pod before its processes
// have ended.
const restartGracePeriod = 1

// Restart implements [operations.Drivers]. It deletes the driver's pod on the
// node and waits until the next one is ready.
func (f *foreign) Restart(ctx context.Context, driver, node string) error {
	set, err := f.daemonSet(ctx, f.driver(driver))
	if err != nil {
		return err
	}
	before, err := f.podOn(ctx, set, node)
	if err != nil {
		return err
	}
	err = f.client.CoreV1().Pods(before.Namespace).Delete(ctx, before.Name, metav1.DeleteOptions{
		GracePeriodSeconds: ptr.To[int64](restartGracePeriod), Preconditions: metav1.NewUIDPreconditions(string(before.UID)),
	})
	if err != nil {
		return fmt.Errorf("delete pod %s/%s of driver %s: %w", before.Namespace, before.Name, driver, err)
	}
	var last error
	err = wait.PollUntilContextCancel(ctx, env.PollInterval, true, func(ctx context.Context) (bool, error) {
		var now *corev1.Pod
		now, last = f.podOn(ctx, set, node)
		if last == nil && (now.UID == before.UID || !isReady(now)) {
			last = fmt.Errorf("pod %s is not ready", now.Name)
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the next pod of driver %s on node %s: %w", driver, node, errors.Join(last, err))
	}
	return nil
}

// daemonSet returns the DaemonSet of a driver.
func (f *foreign) daemonSet(ctx context.Context, d *driverfile.Driver) (*appsv1.DaemonSet, error) {
	set, err := f.client.AppsV1().DaemonSets(d.DaemonSet.Namespace).Get(ctx, d.DaemonSet.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get the DaemonSet of driver %s: %w", d.Name, err)
	}
	return set, nil
}

// podOn returns the pod of a DaemonSet on a node that is not being deleted.
func (f *foreign) podOn(ctx context.Context, set *appsv1.DaemonSet, node string) (*corev1.Pod, error) {
	pods, err := f.podsOf(ctx, set, fields.OneTermEqualSelector("spec.nodeName", node))
	if err != nil {
		return nil, err
	}
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil {
			return pod, nil
		}
	}
	return nil, fmt.Errorf("DaemonSet %s/%s has no pod on node %s", set.Namespace, set.Name, node)
}

// podsOf returns the selected pods of a DaemonSet.
func (f *foreign) podsOf(ctx context.Context, set *appsv1.DaemonSet, selected fields.Selector) ([]*corev1.Pod, error) {
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("selector of DaemonSet %s/%s: %w", set.Namespace, set.Name, err)
	}
	list, err := f.client.CoreV1().Pods(set.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String(), FieldSelector: selected.String()})
	if err != nil {
		return nil, fmt.Errorf("list the pods of DaemonSet %s/%s: %w", set.Namespace, set.Name, err)
	}
	var pods []*corev1.Pod
	for i := range list.Items {
		if pod := &list.Items[i]; metav1.IsControlledBy(pod, set) {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// originalImage is an annotation of a DaemonSet whose image a run has changed.
const originalImage = "draconform.dev/original-image"

// imageChange is the change of a DaemonSet's image.
type imageChange struct{ original, now string }

// Update implements [operations.Drivers]. It changes the image to that of the
// driver file. The next time it changes the image back, so that each call
// replaces all pods.
func (f *foreign) Update(ctx context.Context, driver string) error {
	d := f.driver(driver)
	change := f.changed[driver]
	if change == nil {
		set, err := f.daemonSet(ctx, d)
		if err != nil {
			return err
		}
		container, err := containerOf(set, d)
		if err != nil {
			return err
		}
		change = &imageChange{original: container.Image, now: container.Image}
		if change.original == d.Allow.Update.Image {
			return fmt.Errorf("DaemonSet %s/%s already has the image %s of allow.update (%s)", set.Namespace, set.Name, change.original, d.Position("allow.update"))
		}
		f.changed[driver] = change
	}
	if change.now == d.Allow.Update.Image {
		return f.setOriginalImage(ctx, d, change)
	}
	// If this fails, the DaemonSet may have the image nevertheless.
	change.now = d.Allow.Update.Image
	return f.setImage(ctx, d, change.now, change.original)
}

// setOriginalImage changes the image of a DaemonSet back. If that fails, it is still
// to be done.
func (f *foreign) setOriginalImage(ctx context.Context, d *driverfile.Driver, change *imageChange) error {
	if err := f.setImage(ctx, d, change.original, change.original); err != nil {
		return err
	}
	change.now = change.original
	return nil
}

// restoreImage changes the image of a DaemonSet back, if it was changed.
func (f *foreign) restoreImage(ctx context.Context, d *driverfile.Driver) error {
	change := f.changed[d.Name]
	if change.now == change.original {
		return nil
	}
	if err := f.setOriginalImage(ctx, d, change); err != nil {
		return fmt.Errorf("restore the image %s of driver %s: %w", change.original, d.Name, err)
	}
	return nil
}

// setImage changes the image of a driver's DaemonSet and waits until all its
// pods have it and are ready. While the image is not the original one, an
// annotation has the original.
func (f *foreign) setImage(ctx context.Context, d *driverfile.Driver, image, original string) error {
	set, err := f.daemonSet(ctx, d)
	if err != nil {
		return err
	}
	container, err := containerOf(set, d)
	if err != nil {
		return err
	}
	annotation := fmt.Sprintf("%q", original)
	if image == original {
		annotation = "null"
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}},"spec":{"template":{"spec":{"containers":[{"name":%q,"image":%q}]}}}}`,
		originalImage, annotation, container.Name, image)
	sets := f.client.AppsV1().DaemonSets(set.Namespace)
	patched, err := sets.Patch(ctx, set.Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("set the image of DaemonSet %s/%s to %s: %w", set.Namespace, set.Name, image, err)
	}
	var last error
	err = wait.PollUntilContextCancel(ctx, env.PollInterval, true, func(ctx context.Context) (bool, error) {
		var now *appsv1.DaemonSet
		if now, last = sets.Get(ctx, set.Name, metav1.GetOptions{}); last == nil && !isUpdated(now, patched.Generation) {
			s := now.Status
			last = fmt.Errorf("%d of %d pods are updated and %d available", s.UpdatedNumberScheduled, s.DesiredNumberScheduled, s.NumberAvailable)
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until DaemonSet %s/%s is updated to %s: %w", d.DaemonSet.Namespace, d.DaemonSet.Name, image, errors.Join(last, err))
	}
	return nil
}

// isUpdated reports whether all pods have the template of a generation of the
// DaemonSet and are available.
func isUpdated(set *appsv1.DaemonSet, generation int64) bool {
	s := set.Status
	return s.ObservedGeneration >= generation && s.UpdatedNumberScheduled == s.DesiredNumberScheduled && s.NumberAvailable == s.DesiredNumberScheduled
}

// containerOf returns the container of a DaemonSet with the driver.
func containerOf(set *appsv1.DaemonSet, d *driverfile.Driver) (*corev1.Container, error) {
	containers := set.Spec.Template.Spec.Containers
	for i := range containers {
		if d.DaemonSet.Container == "" || containers[i].Name == d.DaemonSet.Container {
			return &containers[i], nil
		}
	}
	return nil, fmt.Errorf("DaemonSet %s/%s has no container %q (%s)", set.Namespace, set.Name, d.DaemonSet.Container, d.Position("daemonSet.container"))
}
