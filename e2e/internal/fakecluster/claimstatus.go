package fakecluster

import (
	"fmt"
	"slices"

	admissionapi "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

var policiesOf = admissionapi.SchemeGroupVersion.WithResource("validatingadmissionpolicies")

// refuseStatus imitates the API server for updates of a claim's status. It
// returns an error if an admission policy or the API validation rejects the
// update.
func (c *Cluster) refuseStatus(action clienttesting.Action) (bool, runtime.Object, error) {
	update := action.(clienttesting.UpdateAction)
	claim, ok := update.GetObject().(*resourceapi.ResourceClaim)
	if !ok || action.GetSubresource() != "status" {
		return false, nil, nil
	}
	if err := c.refusesStatus(claim); err != nil {
		return true, nil, err
	}
	if err := c.storeStatus(claim); err != nil {
		return true, nil, err
	}
	options, ok := action.(clienttesting.UpdateActionImpl)
	return ok && len(options.UpdateOptions.DryRun) > 0, claim, nil
}

// refusesStatus returns an error if an admission policy rejects a status update
// of a claim. It supports only policies that select claims by name and reject
// every update.
func (c *Cluster) refusesStatus(claim *resourceapi.ResourceClaim) error {
	all, err := listOf[admissionapi.ValidatingAdmissionPolicy](c, policiesOf, "ValidatingAdmissionPolicy")
	if err != nil {
		return err
	}
	for _, policy := range all {
		rule := policy.Spec.MatchConstraints
		if rule.NamespaceSelector.MatchLabels[corev1.LabelMetadataName] == claim.Namespace && slices.Contains(rule.ResourceRules[0].ResourceNames, claim.Name) {
			return apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), claim.Name, fmt.Errorf("ValidatingAdmissionPolicy %s denied the request", policy.Name))
		}
	}
	return nil
}

// fail reports that a pod could not be bound.
func (c *Cluster) fail(pod *corev1.Pod, why error) error {
	if c.Mistakes.BindsFirst {
		pod.Spec.NodeName = nodeName(0)
	}
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulerError, Message: why.Error()})
	return c.update(pods, pod)
}
