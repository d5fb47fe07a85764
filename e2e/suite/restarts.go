// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// notesTimeout bounds the request for the components of a control plane.
const notesTimeout = 2 * time.Second

// componentNotes returns a line for each component of the control plane that has ended
// while the spec ran or does not run: the kubelet restarts a scheduler that has ended, so
// that a failure is otherwise a timeout without a reason.
func (s *Suite) componentNotes(ctx context.Context) string {
	if !s.options.Components || s.current == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, notesTimeout)
	defer cancel()
	pods, err := s.options.Client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "tier=control-plane"})
	if err != nil {
		return "" // The failure itself is why, or says more.
	}
	var notes strings.Builder
	for i := range pods.Items {
		for _, c := range pods.Items[i].Status.ContainerStatuses {
			if note := componentNote(c, s.current.Started); note != "" {
				fmt.Fprintf(&notes, "\n%s %s", c.Name, note)
			}
		}
	}
	return notes.String()
}

// componentNote describes the container of a component that has ended since a time or
// does not run. It is empty for others.
func componentNote(c corev1.ContainerStatus, since time.Time) string {
	ended, now := c.LastTerminationState.Terminated, ""
	switch {
	case c.State.Waiting != nil:
		now = "does not run: " + c.State.Waiting.Reason
	case c.State.Terminated != nil:
		now, ended = "does not run", c.State.Terminated
	}
	// The API has times in whole seconds.
	if ended == nil || now == "" && ended.FinishedAt.Time.Before(since.Truncate(time.Second)) {
		return now
	}
	note := fmt.Sprintf("ended at %s: exit code %d, %s; its restart count is %d",
		ended.FinishedAt.UTC().Format(time.TimeOnly), ended.ExitCode, ended.Reason, c.RestartCount)
	if now != "" {
		return now + "; it " + note
	}
	return note
}
