package fakecluster

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

var templatesOf = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaimtemplates"}

// makeClaims creates the claims of pods that use ResourceClaimTemplates. It
// skips templates that do not exist.
func (c *Cluster) makeClaims() error {
	all, err := c.pods()
	if err != nil || c.Mistakes.MakesNoClaims {
		return err
	}
	for _, pod := range all {
		if !waitsForClaim(pod) || !c.due("make claims of pod", key(pod)) {
			continue
		}
		for _, use := range pod.Spec.ResourceClaims {
			o, err := c.clientset.Tracker().Get(templatesOf, pod.Namespace, ptr.Deref(use.ResourceClaimTemplateName, ""))
			if err != nil {
				continue // the template may be created later
			}
			claim := &resourceapi.ResourceClaim{
				ObjectMeta: metav1.ObjectMeta{
					Name: pod.Name + "-" + use.Name, Namespace: pod.Namespace, UID: types.UID(fmt.Sprintf("made-for-%s-%s", pod.UID, use.Name)),
					OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}},
				},
				Spec: o.(*resourceapi.ResourceClaimTemplate).Spec.Spec,
			}
			setDefaults(claim)
			if err := c.clientset.Tracker().Create(claims, claim, pod.Namespace); err != nil {
				return err
			}
			pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: use.Name, ResourceClaimName: &claim.Name})
		}
		if err := c.update(pods, pod); err != nil {
			return err
		}
	}
	return nil
}

// waitsForClaim reports whether a claim of a pod has not been created from its
// template yet.
func waitsForClaim(pod *corev1.Pod) bool {
	made := len(pod.Status.ResourceClaimStatuses)
	for _, use := range pod.Spec.ResourceClaims {
		if use.ResourceClaimName == nil {
			made--
		}
	}
	return made < 0
}

// lostOwner reports whether the pod that owns a claim is gone.
func lostOwner(claim *resourceapi.ResourceClaim, users map[string]int) bool {
	return len(claim.OwnerReferences) > 0 && users[string(claim.OwnerReferences[0].UID)] == 0
}
