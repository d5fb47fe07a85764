package install

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

const (
	// logLines is how many lines of a pod's log an error repeats.
	logLines = 10
	// diagnoseTimeout is how long it may take to find out why a pod is not
	// ready, when the time for waiting is over.
	diagnoseTimeout = 10 * time.Second
)

// diagnose describes the driver's pods on some nodes, one per paragraph.
func diagnose(ctx context.Context, client kubernetes.Interface, options Options, nodes []string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diagnoseTimeout)
	defer cancel()
	pods, err := options.pods(ctx, client)
	if err != nil {
		return "\n" + err.Error()
	}
	var out strings.Builder
	for _, pod := range pods {
		if !slices.Contains(nodes, pod.Spec.NodeName) {
			continue
		}
		fmt.Fprintf(&out, "\nnode %s, pod %s/%s: %s", pod.Spec.NodeName, pod.Namespace, pod.Name, podState(pod))
		log, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{TailLines: ptr.To[int64](logLines)}).DoRaw(ctx)
		if err != nil {
			fmt.Fprintf(&out, "\n  no log: %v", err)
			continue
		}
		for line := range strings.Lines(string(log)) {
			fmt.Fprintf(&out, "\n  %s", strings.TrimRight(line, "\n"))
		}
	}
	return out.String()
}

// podState is the phase of a pod and what its containers and conditions say.
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
