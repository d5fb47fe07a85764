package suite

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// Removed deletes a claim and the pods that use it, and waits until all are
// removed. Without pods it deletes the pod with the name of the claim.
func (e *Env) Removed(ctx context.Context, claim string, pods ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("removing pod and claim %s", claim))
	if len(pods) == 0 {
		pods = []string{claim}
	}
	e.delete(ctx, pods)
	e.deleteClaim(ctx, claim)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		return errors.Join(e.podsGone(ctx, pods), e.claimGone(ctx, claim))
	}).WithTimeout(e.Timeouts.Gone).Should(gomega.Succeed(), "a deleted pod and its claim should disappear")
}

// RemovedClaim deletes a claim whose pods are already removed, and waits until
// it is removed.
func (e *Env) RemovedClaim(ctx context.Context, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("removing claim " + claim)
	e.deleteClaim(ctx, claim)
	e.ClaimGone(ctx, claim, "no pod uses it any more")
}

// Ended deletes pods without their claims, and waits until the pods are
// removed.
func (e *Env) Ended(ctx context.Context, pods ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("removing pods %v", pods))
	e.delete(ctx, pods)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		return e.podsGone(ctx, pods)
	}).WithTimeout(e.Timeouts.Gone).Should(gomega.Succeed(), "deleted pods should disappear")
}

// Freed waits until claims that no pod uses are deallocated and not reserved.
func (e *Env) Freed(ctx context.Context, claims ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until claims %v hold nothing", claims))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		var errs []error
		for _, name := range claims {
			claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, name, metav1.GetOptions{})
			switch {
			case err != nil:
				errs = append(errs, err)
			case claim.Status.Allocation != nil || len(claim.Status.ReservedFor) > 0:
				errs = append(errs, fmt.Errorf("claim %s still holds %v, reserved for %v", name, audit.Allocated(claim), claim.Status.ReservedFor))
			}
		}
		return errors.Join(errs...)
	}).WithTimeout(e.Timeouts.Gone).Should(gomega.Succeed(), "claims of pods that have ended should be deallocated")
}

func (e *Env) delete(ctx context.Context, pods []string) {
	ginkgo.GinkgoHelper()
	for _, pod := range pods {
		gomega.Expect(e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod, e.podDeletion())).To(gomega.Succeed())
		e.Deleted("Pod", pod)
	}
}

func (e *Env) deleteClaim(ctx context.Context, claim string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(e.Client.ResourceV1().ResourceClaims(e.Namespace).Delete(ctx, claim, metav1.DeleteOptions{})).To(gomega.Succeed())
	e.Deleted("ResourceClaim", claim)
}

// podDeletion returns the options for the deletion of pods. On a stage the
// grace period is zero, because no kubelet reports that the pod has terminated.
func (e *Env) podDeletion() metav1.DeleteOptions {
	if e.SimulatedDriver != "" {
		return metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	}
	return metav1.DeleteOptions{}
}

// podsGone returns an error about the first pod that still exists.
func (e *Env) podsGone(ctx context.Context, pods []string) error {
	for _, name := range pods {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			return fmt.Errorf("pod %s is still there: %s", name, e.whyNot(ctx, pod))
		}
		if !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// claimGone returns an error if a claim still exists.
func (e *Env) claimGone(ctx context.Context, name string) error {
	claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return fmt.Errorf("claim %s is still there: finalizers %v, reserved for %v", name, claim.Finalizers, claim.Status.ReservedFor)
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// removeAll deletes the spec's pods, then its claims. It waits until they are
// removed, because they hold devices. Its error lists what remains.
func (e *Env) removeAll(ctx context.Context) error {
	pods, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the pods of namespace %s: %w", e.Namespace, err)
	}
	var names []string
	for _, pod := range pods.Items {
		names = append(names, pod.Name)
		if err := e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod.Name, e.podDeletion()); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("remove pod %s: %w", pod.Name, err)
		}
	}
	if err := e.untilGone(ctx, func() error { return e.podsGone(ctx, names) }); err != nil {
		return err
	}
	claims, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the claims of namespace %s: %w", e.Namespace, err)
	}
	for _, claim := range claims.Items {
		if err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Delete(ctx, claim.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("remove claim %s: %w", claim.Name, err)
		}
	}
	return e.untilGone(ctx, func() error {
		var errs []error
		for _, claim := range claims.Items {
			errs = append(errs, e.claimGone(ctx, claim.Name))
		}
		return errors.Join(errs...)
	})
}

// untilGone waits until left returns nil. After Timeouts.Gone it returns an
// error with the last result.
func (e *Env) untilGone(ctx context.Context, left func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, e.Timeouts.Gone, true, func(context.Context) (bool, error) {
		last = left()
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until what the spec created is gone, for %s: %w", e.Timeouts.Gone, errors.Join(last, err))
	}
	return nil
}
