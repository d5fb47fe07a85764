// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	admissionapi "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// RejectStatusUpdates makes the API server reject changes of a claim's status
// until the returned function is called, or until the end of the spec, so that the
// claim is not reserved for other pods. It creates an admission policy and waits
// until the API server enforces it. The spec must have [env.NeedsSimulatedNodes],
// because the policy is cluster-scoped.
func RejectStatusUpdates(ctx context.Context, e *env.Env, name string) (end func(context.Context)) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("rejecting updates of the status of claim %s", name))
	return RejectStatusUpdatesOf(ctx, e, Get(ctx, e, name))
}

// RejectStatusUpdatesOf is [RejectStatusUpdates] for a claim that was already
// read.
func RejectStatusUpdatesOf(ctx context.Context, e *env.Env, claim *resourceapi.ResourceClaim) (end func(context.Context)) {
	ginkgo.GinkgoHelper()
	policy, binding := statusPolicy(e, claim)
	return enforce(ctx, e, policy, binding, claim.Name)
}

// keepsConsumers is true for an update of a claim after which it has at least as many
// consumers as before.
const keepsConsumers = "!has(oldObject.status) || !has(oldObject.status.reservedFor) || " +
	"has(object.status) && has(object.status.reservedFor) && object.status.reservedFor.size() >= oldObject.status.reservedFor.size()"

// RejectRelease makes the API server reject that a consumer of a claim is removed, until
// the returned function is called, or until the end of the spec. Other changes of the
// claim are possible. As with [RejectBinding], the policy also rejects changes of the
// status of another claim.
func RejectRelease(ctx context.Context, e *env.Env, name string) (end func(context.Context)) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("rejecting that consumers of claim %s are removed", name))
	return rejectSome(ctx, e, name, name+"-is-not-released", keepsConsumers)
}

// rejectSome makes the API server reject those updates of the status of a claim for which an
// expression is false. It creates another claim, of which the API server rejects all updates of
// the status, and by which one can see that it enforces the policy.
func rejectSome(ctx context.Context, e *env.Env, name, shownBy, accepted string) (end func(context.Context)) {
	ginkgo.GinkgoHelper()
	shown, err := Create(ctx, e, shownBy, resourceapi.DeviceClaim{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	policy, binding := statusPolicy(e, shown)
	ofClaim := policy.Spec.MatchConstraints.ResourceRules[0]
	ofClaim.ResourceNames = []string{name}
	policy.Spec.MatchConstraints.ResourceRules = append(policy.Spec.MatchConstraints.ResourceRules, ofClaim)
	policy.Spec.Validations[0].Expression = fmt.Sprintf("object.metadata.name == %q && (%s)", name, accepted)
	return enforce(ctx, e, policy, binding, shown.Name)
}

// byController is true for requests of the controller of kube-controller-manager that reserves
// claims for bound pods, with credentials of its own or with those of the whole program.
const byController = `request.userInfo.username in ["system:kube-controller-manager", "system:serviceaccount:kube-system:resource-claim-controller"]`

// RejectWritesOfController makes the API server reject changes of a claim's status by the
// controller that reserves claims for pods which are bound without a reservation, until the end
// of the spec, so that only the scheduler reserves the claim. If the controller has another
// identity in a cluster, the policy has no effect. As with [RejectBinding], the policy also
// rejects changes of the status of another claim.
func RejectWritesOfController(ctx context.Context, e *env.Env, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("rejecting that kube-controller-manager updates claim %s", name))
	rejectSome(ctx, e, name, name+"-is-left-to-the-scheduler", "!("+byController+")")
}

// RejectBinding makes the API server reject that a pod is bound to a node, until the
// returned function is called, or until the end of the spec. The pod should not exist
// yet. The policy also rejects changes of the status of a claim, by which one can see
// that the API server enforces it. The spec must have [env.NeedsSimulatedNodes], as
// for [RejectStatusUpdates].
func RejectBinding(ctx context.Context, e *env.Env, pod string) (end func(context.Context)) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("rejecting that pod %s is bound", pod))
	claim, err := Create(ctx, e, pod+"-is-not-bound", resourceapi.DeviceClaim{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	policy, binding := statusPolicy(e, claim)
	policy.Spec.MatchConstraints.ResourceRules = append(policy.Spec.MatchConstraints.ResourceRules, admissionapi.NamedRuleWithOperations{
		ResourceNames: []string{pod},
		RuleWithOperations: admissionapi.RuleWithOperations{
			Operations: []admissionapi.OperationType{admissionapi.Create},
			Rule:       admissionapi.Rule{APIGroups: []string{""}, APIVersions: []string{"*"}, Resources: []string{"pods/binding"}},
		},
	})
	return enforce(ctx, e, policy, binding, claim.Name)
}

// enforce creates a policy, and waits until the API servers reject updates of the
// status of a claim because of it. It is deleted by the returned function, and at the
// end of the spec.
func enforce(ctx context.Context, e *env.Env, policy *admissionapi.ValidatingAdmissionPolicy, binding *admissionapi.ValidatingAdmissionPolicyBinding, claim string) (end func(context.Context)) {
	ginkgo.GinkgoHelper()
	policies, bindings := e.Client.AdmissionregistrationV1().ValidatingAdmissionPolicies(), e.Client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	end = func(ctx context.Context) {
		ginkgo.GinkgoHelper()
		bindingErr := bindings.Delete(ctx, binding.Name, metav1.DeleteOptions{})
		policyErr := policies.Delete(ctx, policy.Name, metav1.DeleteOptions{}) // Also if the binding stays.
		gomega.Expect(bindingErr).To(gomega.Or(gomega.Succeed(), gomega.Satisfy(apierrors.IsNotFound)))
		gomega.Expect(policyErr).To(gomega.Or(gomega.Succeed(), gomega.Satisfy(apierrors.IsNotFound)))
	}
	ginkgo.DeferCleanup(end, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	_, err := policies.Create(ctx, policy, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = bindings.Create(ctx, binding, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	waitForRejected(ctx, e, claim, policy.Name)
	return end
}

// waitForRejected waits until a policy has rejected updates of a claim's status for a while. If
// there are several API servers, each of them begins to enforce the policy at a time of its own,
// and the scheduler may use another one than the spec.
func waitForRejected(ctx context.Context, e *env.Env, claim, policy string) {
	ginkgo.GinkgoHelper()
	var since time.Time
	gomega.Eventually(ctx, func(ctx context.Context) error {
		if err := checkRejected(ctx, e, claim, policy); err != nil {
			since = time.Time{}
			return err
		}
		if since.IsZero() {
			since = time.Now()
		}
		if lasted := time.Since(since); lasted < e.Timeouts.Stable {
			return fmt.Errorf("policy %s has been enforced for %s only", policy, lasted)
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the API server should reject updates of the status of claim %s", claim)
}

// checkRejected returns an error unless a policy rejects an update of a claim's status.
// The claim is read anew, because the API server rejects the update of an older version
// of the claim before it asks the policy.
func checkRejected(ctx context.Context, e *env.Env, name, policy string) error {
	claims := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	claim, err := claims.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	_, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	switch {
	case err == nil:
		return fmt.Errorf("policy %s is not enforced", policy)
	case strings.Contains(err.Error(), policy):
		return nil
	}
	return err
}

// statusPolicy returns a ValidatingAdmissionPolicy that rejects all changes of
// a claim's status, and its binding.
func statusPolicy(e *env.Env, claim *resourceapi.ResourceClaim) (*admissionapi.ValidatingAdmissionPolicy, *admissionapi.ValidatingAdmissionPolicyBinding) {
	meta := metav1.ObjectMeta{Name: e.UniqueName() + "-" + claim.Name, Labels: e.Labels}
	policy := &admissionapi.ValidatingAdmissionPolicy{
		ObjectMeta: meta,
		Spec: admissionapi.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionapi.Fail),
			MatchConstraints: &admissionapi.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: e.Namespace}},
				ResourceRules: []admissionapi.NamedRuleWithOperations{{
					ResourceNames: []string{claim.Name},
					RuleWithOperations: admissionapi.RuleWithOperations{
						Operations: []admissionapi.OperationType{admissionapi.Update},
						Rule: admissionapi.Rule{
							APIGroups: []string{resourceapi.GroupName}, APIVersions: []string{"*"}, Resources: []string{"resourceclaims/status"},
						},
					},
				}},
			},
			Validations: []admissionapi.Validation{{Expression: "false", Message: "the spec rejects this"}},
		},
	}
	return policy, &admissionapi.ValidatingAdmissionPolicyBinding{
		ObjectMeta: meta,
		Spec: admissionapi.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy.Name, ValidationActions: []admissionapi.ValidationAction{admissionapi.Deny},
		},
	}
}
