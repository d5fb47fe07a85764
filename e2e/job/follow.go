// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// follower prints the log of the run in a pod. A log that breaks off, for example
// because an API server restarts, is continued.
type follower struct {
	client Client
	pod    *corev1.Pod // as last seen
	// last is the time of the last printed line.
	last time.Time
}

// wait prints the log until the run's container has ended and returns its state.
// The state is nil in a pod that is being deleted: the kubelet reports it only
// after all containers have ended, and the results must be fetched before. After
// an error, wait can be called again and continues with the next line.
func (f *follower) wait(ctx context.Context) (ended *corev1.ContainerStateTerminated, err error) {
	pods := f.client.Kubernetes.CoreV1().Pods(f.pod.Namespace)
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		logErr := f.print(ctx)
		pod, err := pods.Get(ctx, f.pod.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && pod.UID != f.pod.UID {
			return false, fmt.Errorf("pod %s was deleted before the run ended", f.pod.Name)
		}
		if err != nil {
			// The API server may be unavailable for a while.
			f.client.Progress.Printf("   get pod %s: %v", f.pod.Name, err)
			return false, nil
		}
		f.pod = pod
		state := stateOf(pod, runContainer)
		switch {
		case state != nil && state.Terminated != nil:
			ended = state.Terminated
			return true, nil
		case pod.DeletionTimestamp != nil && logErr == nil:
			return true, nil
		case pod.Status.Phase == corev1.PodFailed:
			return false, fmt.Errorf("pod %s has failed: %s", pod.Name, strings.TrimSpace(pod.Status.Reason+" "+pod.Status.Message))
		case apierrors.IsForbidden(logErr):
			return false, logErr
		}
		return false, nil
	})
	return ended, err
}

// print prints the lines of the log that were not printed yet, until the log
// ends.
func (f *follower) print(ctx context.Context) error {
	options := &corev1.PodLogOptions{Container: runContainer, Follow: true, Timestamps: true}
	if !f.last.IsZero() {
		options.SinceTime = &metav1.Time{Time: f.last} // of which the API drops fractions of seconds
	}
	stream, err := f.client.log(ctx, f.pod, options)
	if err != nil {
		return fmt.Errorf("read the log of pod %s: %w", f.pod.Name, err)
	}
	defer func() { _ = stream.Close() }()
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadString('\n')
		if at, text, ok := splitTime(line); ok && at.After(f.last) {
			f.last = at
			f.client.Progress.Printf("%s", text)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the log of pod %s: %w", f.pod.Name, err)
		}
	}
}

// splitTime splits a line of a log with timestamps. A line that breaks off is
// not ok: it is read again as a whole.
func splitTime(line string) (at time.Time, text string, ok bool) {
	stamp, text, found := strings.Cut(line, " ")
	text, whole := strings.CutSuffix(text, "\n")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	return at, text, found && whole && err == nil
}
