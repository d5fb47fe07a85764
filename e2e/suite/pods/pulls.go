// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// pullReasons are the kubelet's reasons for containers whose image it has failed to
// pull. It tries again after 10 s, 20 s, 40 s and so on.
var pullReasons = []string{"ErrImagePull", "ImagePullBackOff", "RegistryUnavailable"}

// refusals are parts of the answers of registries that do not have an image, or do
// not give it to this cluster. Other failures, such as an address that does not
// answer, may be those of a registry that is restarted.
var refusals = []string{"not found", "manifest unknown", "name unknown", "unauthorized", "authentication required", "denied", "forbidden", "no match for platform"}

const (
	// refusedAttempts is the number of refusals that are enough. A single one may
	// be due to what is in front of a registry that is restarted.
	refusedAttempts = 2
	// refusedFor replaces refusedAttempts if events, which count the attempts, cannot
	// be read. The kubelet tries at least twice in this time.
	refusedFor = 30 * time.Second
	// unreachableFor is how long other failures may last. The kubelet tries at least
	// three times in this time.
	unreachableFor = time.Minute
)

// pulls follows the attempts of a kubelet to pull the image of a pod.
type pulls struct {
	since time.Time // The first failure since the last success. Zero if there is none.
}

// failed states what the kubelet has tried, if further attempts would be in vain.
// Otherwise it returns an empty string. events are those of the pod.
func (p *pulls) failed(now time.Time, pod *corev1.Pod, events []corev1.Event) string {
	message, waits := pullMessage(pod)
	if !waits {
		p.since = time.Time{}
		return ""
	}
	if p.since.IsZero() {
		p.since = now
	}
	attempts, messages := failedPulls(events)
	refused := isRefusal(message + messages)
	lasted := now.Sub(p.since)
	switch {
	case refused && attempts >= refusedAttempts, refused && lasted >= refusedFor, lasted >= unreachableFor:
		tried := "several times"
		if attempts > 1 {
			tried = fmt.Sprintf("%d times", attempts)
		}
		return fmt.Sprintf("the kubelet of node %s has tried to pull it %s, in vain", pod.Spec.NodeName, tried)
	}
	return ""
}

// pullMessage returns the message of a container that waits because its image
// cannot be pulled, and whether there is one.
func pullMessage(pod *corev1.Pod) (string, bool) {
	for _, c := range pod.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil && slices.Contains(pullReasons, w.Reason) {
			return w.Message, true
		}
	}
	return "", false
}

// failedPulls returns how many attempts to pull an image have failed, and the
// messages about them.
func failedPulls(events []corev1.Event) (attempts int32, messages string) {
	for _, e := range events {
		if e.Reason != "Failed" || !strings.HasPrefix(e.Message, "Failed to pull image ") {
			continue
		}
		n := max(e.Count, 1)
		if e.Series != nil {
			n = max(n, e.Series.Count)
		}
		attempts += n
		messages += "\n" + e.Message
	}
	return attempts, messages
}

func isRefusal(message string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc(refusals, func(part string) bool { return strings.Contains(message, part) })
}
