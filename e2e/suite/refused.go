package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// Refused waits until the scheduler reports a pod as unschedulable, and asserts
// that it stays unschedulable. It returns the scheduler's message.
func (e *Env) Refused(ctx context.Context, name, because string) string {
	ginkgo.GinkgoHelper()
	return e.EachRefused(ctx, map[string]string{name: because})[name]
}

// AllRefused is [Env.Refused] for several pods at the same time. It returns the
// scheduler's message for each pod.
func (e *Env) AllRefused(ctx context.Context, because string, names ...string) []string {
	ginkgo.GinkgoHelper()
	each := map[string]string{}
	for _, name := range names {
		each[name] = because
	}
	said := e.EachRefused(ctx, each)
	var messages []string
	for _, name := range names {
		messages = append(messages, said[name])
	}
	return messages
}

// EachRefused is [Env.Refused] for pods that are unschedulable for different
// reasons. The keys are the names of the pods. It returns the scheduler's
// messages by pod.
func (e *Env) EachRefused(ctx context.Context, because map[string]string) map[string]string {
	ginkgo.GinkgoHelper()
	names := slices.Sorted(maps.Keys(because))
	ginkgo.By("waiting for the refusal of " + plural("pod", names))
	messages := map[string]string{}
	refused := func(ctx context.Context, verb string) error {
		there, err := e.podsAndClaims(ctx)
		if err != nil {
			return err
		}
		var errs []error
		for _, name := range names {
			if messages[name], err = e.refusal(ctx, name, there); err != nil {
				errs = append(errs, fmt.Errorf("pod %s should %s refused, because %s: %w", name, verb, because[name], err))
			}
		}
		return errors.Join(errs...)
	}
	e.comesAndStays(ctx, func(ctx context.Context) error { return refused(ctx, "be") }, func(ctx context.Context) error { return refused(ctx, "stay") })
	return messages
}

// comesAndStays waits until pods are unschedulable, and asserts that they are
// not allocated anything for a while. Both functions check the pods. They
// return an [allocatedError] if a device was allocated.
func (e *Env) comesAndStays(ctx context.Context, refused, stays func(context.Context) error, why ...any) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		err := refused(ctx)
		// An allocation does not go away, so waiting longer is useless.
		if _, given := errors.AsType[allocatedError](err); given {
			return gomega.StopTrying(err.Error())
		}
		return err
	}).WithTimeout(e.Timeouts.Refuse).Should(gomega.Succeed(), why...)
	e.stays(ctx, func(ctx context.Context) (broken, unseen error) {
		err := stays(ctx)
		if _, given := errors.AsType[allocatedError](err); given {
			return err, nil
		}
		return nil, err
	}, why...)
}

// plural returns a kind and one or several names of it.
func plural(kind string, names []string) string {
	if len(names) > 1 {
		kind += "s"
	}
	return kind + " " + strings.Join(names, ", ")
}

// podsAndClaims has the pods and claims of a spec by name.
type podsAndClaims struct {
	pods   map[string]*corev1.Pod
	claims map[string]*resourceapi.ResourceClaim
}

// podsAndClaims lists all of them at once, because getting many pods one by one
// takes long.
func (e *Env) podsAndClaims(ctx context.Context) (podsAndClaims, error) {
	there := podsAndClaims{map[string]*corev1.Pod{}, map[string]*resourceapi.ResourceClaim{}}
	// Claims are listed last, so that the list contains the allocations of all
	// scheduled pods.
	pods, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return there, fmt.Errorf("list the pods of namespace %s: %w", e.Namespace, err)
	}
	claims, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return there, fmt.Errorf("list the claims of namespace %s: %w", e.Namespace, err)
	}
	for i := range claims.Items {
		there.claims[claims.Items[i].Name] = &claims.Items[i]
	}
	for i := range pods.Items {
		there.pods[pods.Items[i].Name] = &pods.Items[i]
	}
	return there, nil
}

// refusal returns the scheduler's message for an unschedulable pod. It returns
// an error if the pod is not reported as unschedulable.
func (e *Env) refusal(ctx context.Context, name string, there podsAndClaims) (string, error) {
	pod, ok := there.pods[name]
	if !ok {
		return "", errors.New("it is not there")
	}
	if err := e.gotNothing(ctx, pod, there); err != nil {
		return "", err
	}
	scheduled := condition(pod, corev1.PodScheduled)
	if scheduled == nil || scheduled.Status != corev1.ConditionFalse || scheduled.Reason != corev1.PodReasonUnschedulable {
		return "", fmt.Errorf("pod %s is not reported as unschedulable: %s", name, e.whyNot(ctx, pod))
	}
	return scheduled.Message, nil
}

// gotNothing returns an error if a pod that should be unschedulable was
// allocated devices or scheduled. It ignores the allocation of a claim that is
// reserved for other pods.
func (e *Env) gotNothing(ctx context.Context, pod *corev1.Pod, there podsAndClaims) error {
	for _, name := range claimNames(pod) {
		claim, ok := there.claims[name]
		if !ok {
			return fmt.Errorf("its claim %s is not there", name)
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

// allocatedError reports that a pod that should be unschedulable was allocated
// devices or scheduled.
type allocatedError string

func (e allocatedError) Error() string { return string(e) }
