// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

const (
	// logLines is the number of lines of a pod's log in an error.
	logLines = 10
	// maxWarnings is the maximum number of different warnings in an error.
	maxWarnings = 10
	// diagnoseTimeout limits the time to find the reason why a pod is not
	// ready. It starts when the context for waiting has ended.
	diagnoseTimeout = 10 * time.Second
)

// diagnose describes the pods that a problem is about and lists the warning
// events of the installation, one paragraph each.
func diagnose(ctx context.Context, client kubernetes.Interface, options Options, problem error) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diagnoseTimeout)
	defer cancel()
	var out strings.Builder
	if about, ok := errors.AsType[*podsError](problem); ok {
		for _, pod := range about.pods {
			diagnosePod(ctx, client, pod, &out)
		}
	}
	events, err := client.CoreV1().Events(options.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "type=" + corev1.EventTypeWarning})
	if err != nil {
		fmt.Fprintf(&out, "\nno events: %v", err)
		return out.String()
	}
	var warnings []string
	for _, event := range events.Items {
		// The names of all objects of the installation have this prefix.
		if strings.HasPrefix(event.InvolvedObject.Name, options.DriverName) {
			warnings = append(warnings, fmt.Sprintf("\nwarning about %s %s: %s: %s", event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Reason, event.Message))
		}
	}
	slices.Sort(warnings)
	warnings = slices.Compact(warnings)
	out.WriteString(strings.Join(warnings[:min(len(warnings), maxWarnings)], ""))
	return out.String()
}

func diagnosePod(ctx context.Context, client kubernetes.Interface, pod corev1.Pod, out io.Writer) {
	fmt.Fprintf(out, "\n%s, pod %s/%s: %s", nodeOf(pod), pod.Namespace, pod.Name, podState(pod))
	log, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{TailLines: ptr.To[int64](logLines)}).DoRaw(ctx)
	if err != nil {
		fmt.Fprintf(out, "\n  no log: %v", err)
		return
	}
	for line := range strings.Lines(string(log)) {
		fmt.Fprintf(out, "\n  %s", strings.TrimRight(line, "\n"))
	}
}

// podState returns the phase of a pod and the messages of its containers and
// conditions.
func podState(pod corev1.Pod) string {
	state := []string{string(pod.Status.Phase)}
	for _, condition := range pod.Status.Conditions {
		if condition.Status != corev1.ConditionTrue && condition.Message != "" {
			state = append(state, condition.Message)
		}
	}
	for _, container := range pod.Status.ContainerStatuses {
		if waiting := container.State.Waiting; waiting != nil {
			state = append(state, strings.TrimSpace(waiting.Reason+" "+waiting.Message))
		}
		if ended := container.LastTerminationState.Terminated; ended != nil {
			state = append(state, fmt.Sprintf("ended before with exit code %d (%s)", ended.ExitCode, ended.Reason))
		}
	}
	return strings.Join(state, "; ")
}
