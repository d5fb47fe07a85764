package pods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectNotStarted asserts that a pod that is bound to a node waits for its
// devices. It waits until the message of a warning event of the pod contains
// why. Then it asserts that none of the containers starts for a while.
func ExpectNotStarted(ctx context.Context, e *env.Env, name, why string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until an event of pod %s contains: %s", name, why))
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := getNotStarted(ctx, e, name)
		if _, started := errors.AsType[startedError](err); started {
			return gomega.StopTrying(err.Error())
		}
		if err != nil {
			return err
		}
		syncTrigger.Trigger(ctx, pod)
		warned, err := hasWarning(ctx, e, pod, why)
		if err == nil && !warned {
			err = fmt.Errorf("no warning about pod %s contains %q: %s", name, why, whyNotRunning(ctx, e, pod))
		}
		return err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the kubelet should report why pod %s is not started", name)
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		_, err := getNotStarted(ctx, e, name)
		if _, started := errors.AsType[startedError](err); started {
			return err, nil
		}
		return nil, err
	}, "pod %s should not be started: %s", name, why)
}

// getNotStarted returns a pod. It returns an error if the pod has no node, and
// a startedError if one of its containers was started.
func getNotStarted(ctx context.Context, e *env.Env, name string) (*corev1.Pod, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if pod.Spec.NodeName == "" {
		return nil, fmt.Errorf("pod %s is not scheduled: %s", name, whyNotRunning(ctx, e, pod))
	}
	started := slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.ContainerID != "" && c.State.Waiting == nil
	})
	if started || pod.Status.Phase != corev1.PodPending {
		return nil, startedError(fmt.Sprintf("pod %s is %s and was started, although its devices were not prepared", name, pod.Status.Phase))
	}
	return pod, nil
}

// startedError reports that a pod was started before its devices were prepared.
type startedError string

func (e startedError) Error() string { return string(e) }

// hasWarning reports whether the message of a warning event of a pod contains
// word.
func hasWarning(ctx context.Context, e *env.Env, pod *corev1.Pod, word string) (bool, error) {
	events, err := e.Client.CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(pod.UID)).String(),
	})
	if err != nil {
		return false, fmt.Errorf("list the events of pod %s: %w", pod.Name, err)
	}
	return slices.ContainsFunc(events.Items, func(event corev1.Event) bool {
		return event.Type == corev1.EventTypeWarning && strings.Contains(event.Message, word)
	}), nil
}
