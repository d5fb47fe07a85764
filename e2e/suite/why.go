package suite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// whyNot returns why a pod does not run: its conditions, the state of its
// containers, and its last events.
func (e *Env) whyNot(ctx context.Context, pod *corev1.Pod) string {
	var reasons []string
	for _, c := range pod.Status.Conditions {
		if c.Status != corev1.ConditionTrue && c.Message != "" {
			reasons = append(reasons, fmt.Sprintf("%s: %s", c.Type, c.Message))
		}
	}
	for _, c := range pod.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil && w.Message != "" {
			reasons = append(reasons, fmt.Sprintf("container waits: %s: %s", w.Reason, w.Message))
		}
		if t := cmp.Or(c.State.Terminated, c.LastTerminationState.Terminated); t != nil {
			reasons = append(reasons, strings.TrimSpace(fmt.Sprintf("container ended with exit code %d: %s %s", t.ExitCode, t.Reason, t.Message)))
		}
	}
	reasons = append(reasons, e.lastEvents(ctx, pod)...)
	if len(reasons) == 0 {
		return "neither its conditions nor its events say why"
	}
	return strings.Join(reasons, "; ")
}

// lastEvents returns the last event of a pod, and the last warning before it.
// The last event often reports the reaction to the problem, and the warning
// reports the problem.
func (e *Env) lastEvents(ctx context.Context, pod *corev1.Pod) []string {
	events, err := e.Client.CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(pod.UID)).String(),
	})
	if err != nil || len(events.Items) == 0 {
		return nil
	}
	slices.SortStableFunc(events.Items, func(a, b corev1.Event) int { return eventTime(b).Compare(eventTime(a).Time) })
	last := events.Items[0]
	said := []string{fmt.Sprintf("last event: %s: %s", last.Reason, last.Message)}
	if last.Type == corev1.EventTypeWarning {
		return said
	}
	i := slices.IndexFunc(events.Items, func(e corev1.Event) bool { return e.Type == corev1.EventTypeWarning })
	if i >= 0 {
		said = append(said, fmt.Sprintf("last warning: %s: %s", events.Items[i].Reason, events.Items[i].Message))
	}
	return said
}

// eventTime returns the time of the last occurrence of an event. The API has
// two fields for it.
func eventTime(e corev1.Event) metav1.Time {
	if !e.LastTimestamp.IsZero() {
		return e.LastTimestamp
	}
	return metav1.NewTime(e.EventTime.Time)
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &pod.Status.Conditions[i]
}

// reason returns the message of a failed spec: the last step, the message of
// the failure, and the messages of additional failures.
func reason(report ginkgo.SpecReport) string {
	text := message(report.Failure)
	if all := steps(report); len(all) > 0 {
		text = "while " + all[len(all)-1].Text + ": " + text
	}
	for _, more := range report.AdditionalFailures {
		text += "\n" + message(more.Failure)
	}
	return text
}

// steps returns the steps that a spec began.
func steps(report ginkgo.SpecReport) []Step {
	var all []Step
	for _, e := range report.SpecEvents.WithType(types.SpecEventByStart) {
		all = append(all, Step{Started: e.TimelineLocation.Time, Text: e.Message})
	}
	return all
}

// message returns the message of a failure, with the value of a panic and with
// the state of a wait that timed out.
func message(f types.Failure) string {
	text := f.Message
	if f.ForwardedPanic != "" {
		text += ": " + f.ForwardedPanic
	}
	if f.AdditionalFailure != nil {
		text += "\n" + message(f.AdditionalFailure.Failure)
	}
	return text
}
