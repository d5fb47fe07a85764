package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// Refused waits until the scheduler says that the pod with this name does not
// fit, and asserts that it stays so. It returns the scheduler's words.
func (e *Env) Refused(ctx context.Context, name, because string) string {
	ginkgo.GinkgoHelper()
	return e.AllRefused(ctx, because, name)[0]
}

// AllRefused is [Env.Refused] for several pods at the same time. It returns the
// scheduler's words about each.
func (e *Env) AllRefused(ctx context.Context, because string, names ...string) []string {
	ginkgo.GinkgoHelper()
	pods := plural("pod", names)
	ginkgo.By("waiting for the refusal of " + pods)
	var messages []string
	refused := func(ctx context.Context) error {
		messages = nil
		for _, name := range names {
			message, err := e.refused(ctx, name)
			if err != nil {
				return err
			}
			messages = append(messages, message)
		}
		return nil
	}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		err := refused(ctx)
		// What is allocated stays so. (Consistently ends by itself, and does not
		// take this.)
		if allocated, ok := errors.AsType[allocatedError](err); ok {
			return gomega.StopTrying(allocated.Error())
		}
		return err
	}).WithTimeout(e.Timeouts.Refuse).Should(gomega.Succeed(), "%s should be refused, because %s", pods, because)
	gomega.Consistently(ctx, refused).WithTimeout(e.Timeouts.Settle).Should(gomega.Succeed(), "%s should stay refused, because %s", pods, because)
	// On a busy machine the time may pass without a look, so that the last one
	// is certain only here.
	gomega.Expect(refused(ctx)).To(gomega.Succeed(), "%s should stay refused, because %s", pods, because)
	return messages
}

// refused returns why the scheduler says that a pod does not fit, and an error if
// it does not say so.
func (e *Env) refused(ctx context.Context, name string) (string, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if err := e.gotNothing(ctx, pod); err != nil {
		return "", err
	}
	scheduled := condition(pod, corev1.PodScheduled)
	if scheduled == nil || scheduled.Status != corev1.ConditionFalse || scheduled.Reason != corev1.PodReasonUnschedulable {
		return "", fmt.Errorf("pod %s is not reported as unschedulable: %s", name, e.whyNot(ctx, pod))
	}
	return scheduled.Message, nil
}

// plural names several things of a kind, or one.
func plural(kind string, names []string) string {
	if len(names) > 1 {
		kind += "s"
	}
	return kind + " " + strings.Join(names, ", ")
}

// gotNothing says what a pod was given that should not have been given anything.
// A claim that others use is theirs.
func (e *Env) gotNothing(ctx context.Context, pod *corev1.Pod) error {
	for _, name := range claimNames(pod) {
		claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		others := slices.ContainsFunc(claim.Status.ReservedFor, func(user resourceapi.ResourceClaimConsumerReference) bool { return user.UID != pod.UID })
		if claim.Status.Allocation != nil && !others {
			return allocatedError(fmt.Sprintf("claim %s was allocated %v for a pod on node %q%s", name, audit.Allocated(claim), pod.Spec.NodeName, e.overdraft(ctx)))
		}
	}
	if pod.Spec.NodeName != "" {
		return allocatedError(fmt.Sprintf("pod %s was scheduled to node %s%s", pod.Name, pod.Spec.NodeName, e.overdraft(ctx)))
	}
	return nil
}

// allocatedError says that a claim which should be refused was allocated.
type allocatedError string

func (e allocatedError) Error() string { return string(e) }
