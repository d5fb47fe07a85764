// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// The limits of the logs of a driver that are read after a failure.
const (
	maxLogPods  = 5
	maxLogLines = 2000
	maxLogBytes = 1 << 20
	// logMargin is added to the age of the oldest line.
	logMargin = 10 * time.Second
)

// Logs implements [operations.Drivers].
func (f *foreign) Logs(ctx context.Context, driver string, nodes []string, since time.Time) ([]operations.DriverLog, error) {
	d := f.driver(driver)
	set, err := f.daemonSet(ctx, d)
	if err != nil {
		return nil, err
	}
	container, err := containerOf(set, d)
	if err != nil {
		return nil, err
	}
	pods, err := f.podsOf(ctx, set, fields.Everything())
	if err != nil {
		return nil, err
	}
	if len(nodes) > 0 {
		pods = slices.DeleteFunc(pods, func(pod *corev1.Pod) bool { return !slices.Contains(nodes, pod.Spec.NodeName) })
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	var logs []operations.DriverLog
	var errs []error
	for _, pod := range pods[:min(len(pods), maxLogPods)] {
		for _, previous := range instancesOf(pod, container.Name) {
			content, err := f.readLog(ctx, pod, logOptions(container.Name, previous, since))
			if err != nil {
				errs = append(errs, err)
				continue
			}
			logs = append(logs, operations.DriverLog{Pod: pod.Name, Node: pod.Spec.NodeName, Previous: previous, Content: content})
		}
	}
	return logs, errors.Join(errs...)
}

// instancesOf returns which instances of a container have a log: the current one,
// and the previous one after a restart, for which it returns true.
func instancesOf(pod *corev1.Pod, container string) []bool {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == container && status.LastTerminationState.Terminated != nil {
			return []bool{false, true}
		}
	}
	return []bool{false}
}

// logOptions selects the end of a log. Its age counts by the clock of the node.
func logOptions(container string, previous bool, since time.Time) *corev1.PodLogOptions {
	options := &corev1.PodLogOptions{Container: container, Previous: previous, TailLines: ptr.To[int64](maxLogLines), LimitBytes: ptr.To[int64](maxLogBytes)}
	if !since.IsZero() {
		options.SinceSeconds = ptr.To(int64((time.Since(since) + logMargin).Seconds()))
	}
	return options
}

func (f *foreign) readLog(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) ([]byte, error) {
	stream, err := f.client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log of pod %s/%s of the driver (allow.logs): %w", pod.Namespace, pod.Name, err)
	}
	defer func() { _ = stream.Close() }()
	content, err := io.ReadAll(io.LimitReader(stream, maxLogBytes))
	if err != nil {
		return nil, fmt.Errorf("read the log of pod %s/%s of the driver (allow.logs): %w", pod.Namespace, pod.Name, err)
	}
	return content, nil
}
