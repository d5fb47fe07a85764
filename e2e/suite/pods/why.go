// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/draconform/draconform/e2e/suite/env"
)

// notRunningError states that a pod does not run as it should. Its text has what
// [whyNotRunning] returns.
type notRunningError struct {
	what string
	why  func() string
}

func (e *notRunningError) Error() string { return e.what + ": " + e.why() }

// expectationError adds what was expected to an error. Unlike fmt.Errorf, it does not
// ask for the text of the error, which may be a notRunningError, before its own text is
// needed.
type expectationError struct {
	what string
	err  error
}

func (e *expectationError) Error() string { return e.what + ": " + e.err.Error() }

func (e *expectationError) Unwrap() error { return e.err }

// notRunning returns an error about a pod. Events are read when its text is needed:
// waits check pods often, and need the text of the last error only. The context of a
// wait has ended by then, and the spec must end soon: all texts have one allowance.
func notRunning(ctx context.Context, e *env.Env, pod *corev1.Pod, format string, args ...any) error {
	return &notRunningError{fmt.Sprintf(format, args...), sync.OnceValue(func() (why string) {
		e.ForReasons.Use(context.WithoutCancel(ctx), func(ctx context.Context) { why = whyNotRunning(ctx, e, pod) })
		return why
	})}
}

// whyNotRunning returns why a pod does not run: its conditions, the state of
// its containers, and its last events.
func whyNotRunning(ctx context.Context, e *env.Env, pod *corev1.Pod) string {
	var reasons []string
	for _, c := range pod.Status.Conditions {
		if c.Status != corev1.ConditionTrue && c.Message != "" {
			reasons = append(reasons, fmt.Sprintf("%s: %s", c.Type, c.Message))
		}
	}
	for _, c := range pod.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil && w.Message != "" {
			reasons = append(reasons, fmt.Sprintf("%s is waiting: %s: %s", named(pod, c.Name), w.Reason, w.Message))
		}
		if t := cmp.Or(c.State.Terminated, c.LastTerminationState.Terminated); t != nil {
			reasons = append(reasons, strings.TrimSpace(fmt.Sprintf("%s exited with code %d: %s %s", named(pod, c.Name), t.ExitCode, t.Reason, t.Message)))
		}
	}
	reasons = append(reasons, lastEvents(ctx, e, pod)...)
	if len(reasons) == 0 {
		return "its conditions and events contain no reason"
	}
	return strings.Join(reasons, "; ")
}

// lastEvents returns the last event of a pod, and the last warning before it.
// The last event often reports the reaction to the problem, and the warning
// reports the problem.
func lastEvents(ctx context.Context, e *env.Env, pod *corev1.Pod) []string {
	events := eventsOf(ctx, e, pod)
	if len(events) == 0 {
		return nil
	}
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return eventTime(b).Compare(eventTime(a).Time) })
	last := events[0]
	messages := []string{fmt.Sprintf("last event: %s: %s", last.Reason, last.Message)}
	if last.Type == corev1.EventTypeWarning {
		return messages
	}
	i := slices.IndexFunc(events, func(e corev1.Event) bool { return e.Type == corev1.EventTypeWarning })
	if i >= 0 {
		messages = append(messages, fmt.Sprintf("last warning: %s: %s", events[i].Reason, events[i].Message))
	}
	return messages
}

// listEvents returns the events of a pod.
func listEvents(ctx context.Context, e *env.Env, pod *corev1.Pod) ([]corev1.Event, error) {
	events, err := e.Client.CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(pod.UID)).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("list the events of pod %s: %w", pod.Name, err)
	}
	return events.Items, nil
}

// eventsOf returns the events of a pod, or none if they cannot be read.
func eventsOf(ctx context.Context, e *env.Env, pod *corev1.Pod) []corev1.Event {
	events, err := listEvents(ctx, e, pod)
	if err != nil {
		return nil
	}
	return events
}

// eventTime returns the time of the last occurrence of an event. The API has
// two fields for it.
func eventTime(e corev1.Event) metav1.Time {
	if !e.LastTimestamp.IsZero() {
		return e.LastTimestamp
	}
	return metav1.NewTime(e.EventTime.Time)
}
