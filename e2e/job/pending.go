// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cause is why the run in the pod of a Job has not started yet.
type cause struct {
	what string // the kind of cause
	seen string // what Kubernetes reports
	hint string // what the user can do
	// patience is how long the cause may last. Zero means that it does not go
	// away, and [untilTimeout] that only the timeout for the start limits it.
	patience time.Duration
}

// untilTimeout is the patience with causes that others may remove: another pod
// ends, an autoscaler adds a node, a quota is raised.
const untilTimeout = time.Duration(1<<63 - 1)

func (c cause) String() string {
	text := c.what
	if c.seen != "" {
		text += ": " + c.seen
	}
	return text
}

// err returns the cause as an error.
func (c cause) err(waited time.Duration) error {
	text := fmt.Sprintf("the run has not started after %s: %s", waited.Round(time.Second), c)
	if c.hint != "" {
		text += "; " + c.hint
	}
	return errors.New(text)
}

// starting is the cause while nothing is wrong yet.
var starting = cause{what: "the pod is starting", patience: untilTimeout}

// waitingCauses are the causes by the reason of a waiting container. The kubelet
// retries all but the first two. It reports a failed pull at once, and a second
// attempt follows after 10 seconds.
var waitingCauses = map[string]cause{
	"InvalidImageName":           {what: "the name of the image is invalid", hint: "correct --image"},
	"ErrImageNeverPull":          {what: "the image is not on the node", hint: "import the archive of \"draconform images\" on the nodes"},
	"ErrImagePull":               imageCause,
	"ImagePullBackOff":           imageCause,
	"CreateContainerConfigError": {what: "the container cannot be created", patience: 30 * time.Second},
	"CreateContainerError":       {what: "the container cannot be created", patience: 30 * time.Second},
	"RunContainerError":          {what: "the container cannot be started", patience: 30 * time.Second},
}

var imageCause = cause{
	what: "the image cannot be pulled", patience: 45 * time.Second,
	hint: "push the image of \"draconform images\" to a registry and name it with --image, or import the archive on the nodes; a private registry needs --namespace and --pull-secret",
}

// createCauses are the causes by a part of the message with which the API server
// rejects a pod.
var createCauses = []struct {
	part string
	cause
}{
	{"exceeded quota", cause{what: "a quota of the namespace is exceeded", hint: "raise the quota, or use another --namespace", patience: untilTimeout}},
	{"failed quota", cause{what: "a quota of the namespace does not admit the pod", hint: "use another --namespace"}},
	{"violates PodSecurity", cause{what: "the namespace's pod security level does not admit the pod", hint: "report this as a bug of draconform: its pod complies with the level \"restricted\""}},
	{"error looking up service account", cause{what: "the service account is not known yet", patience: untilTimeout}},
	{"failed calling webhook", cause{what: "an admission webhook does not respond", hint: "repair or exempt it", patience: untilTimeout}},
	{"admission webhook", cause{what: "an admission webhook rejects the pod", hint: "use another --namespace, or exempt it from the webhook"}},
	{"ValidatingAdmissionPolicy", cause{what: "an admission policy rejects the pod", hint: "use another --namespace, or exempt it from the policy"}},
	{"maximum ", cause{what: "a limit range of the namespace does not admit the pod", hint: "lower --memory, or use another --namespace"}},
	{"minimum ", cause{what: "a limit range of the namespace does not admit the pod", hint: "use another --namespace"}},
}

// withoutPod returns why a Job has no pod.
func (c Client) withoutPod(ctx context.Context, job *batchv1.Job) (cause, error) {
	got, err := c.Kubernetes.BatchV1().Jobs(job.Namespace).Get(ctx, job.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return cause{what: "the Job was deleted"}, nil
	}
	if err != nil {
		return cause{}, fmt.Errorf("get job %s: %w", job.Name, err)
	}
	if ended := endOf(got); ended != "" {
		return cause{what: "the Job has ended", seen: ended}, nil
	}
	message, err := c.warning(ctx, "Job", job.Name, job.Namespace, "FailedCreate")
	if err != nil || message == "" {
		return cause{what: "the Job has no pod yet", patience: untilTimeout}, err
	}
	for _, known := range createCauses {
		if strings.Contains(message, known.part) {
			known.seen = message
			return known.cause, nil
		}
	}
	return cause{what: "the pod is rejected", seen: message, patience: 30 * time.Second}, nil
}

// pending returns why the run's container of a pod has not started.
func (c Client) pending(ctx context.Context, pod *corev1.Pod) (cause, error) {
	if pod.Status.Phase == corev1.PodFailed {
		return cause{what: "the pod has failed", seen: strings.TrimSpace(pod.Status.Reason + " " + pod.Status.Message)}, nil
	}
	if pod.DeletionTimestamp != nil {
		return cause{what: "the pod is being deleted"}, nil
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return cause{
				what: "no node fits", seen: condition.Message, patience: untilTimeout,
				hint: "the pod needs 260m CPU and 288Mi memory on a Linux node of the image's architecture (--arch), see also --toleration",
			}, nil
		}
	}
	for _, status := range pod.Status.ContainerStatuses {
		waiting := status.State.Waiting
		if waiting == nil {
			continue
		}
		if known, ok := waitingCauses[waiting.Reason]; ok {
			known.seen = strings.TrimSpace(waiting.Reason + " " + waiting.Message)
			return known, nil
		}
	}
	// Volumes that cannot be mounted are in events only.
	message, err := c.warning(ctx, "Pod", pod.Name, pod.Namespace, "")
	why := starting
	why.seen = message
	return why, err
}

// warning returns the message of the newest warning about an object, or an empty
// string. An empty reason means any.
func (c Client) warning(ctx context.Context, kind, name, namespace, reason string) (string, error) {
	selector := "type=" + corev1.EventTypeWarning + ",involvedObject.kind=" + kind + ",involvedObject.name=" + name
	events, err := c.Kubernetes.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: selector})
	if err != nil {
		return "", fmt.Errorf("list events about %s %s: %w", kind, name, err)
	}
	// Clients for tests do not evaluate field selectors.
	about := slices.DeleteFunc(events.Items, func(e corev1.Event) bool {
		return e.Type != corev1.EventTypeWarning || e.InvolvedObject.Kind != kind || e.InvolvedObject.Name != name || reason != "" && e.Reason != reason
	})
	if len(about) == 0 {
		return "", nil
	}
	newest := slices.MaxFunc(about, func(a, b corev1.Event) int { return a.LastTimestamp.Compare(b.LastTimestamp.Time) })
	return newest.Reason + ": " + newest.Message, nil
}

// endOf returns why a Job has failed, or an empty string.
func endOf(job *batchv1.Job) string {
	for _, condition := range job.Status.Conditions {
		if (condition.Type == batchv1.JobFailed || condition.Type == batchv1.JobFailureTarget) && condition.Status == corev1.ConditionTrue {
			return condition.Reason + ": " + condition.Message
		}
	}
	return ""
}
