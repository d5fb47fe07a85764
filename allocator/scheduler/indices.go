// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/draconform/draconform/internal/fault"
)

// indices look up pods and claims without iterating over all of them.
type indices struct {
	pods, claims cache.Indexer
	// The names of the indices are different for each profile, because all profiles share the informers.
	podsByClaim, claimsByPod string
}

func addIndices(factory informers.SharedInformerFactory, profile string) (indices, error) {
	pods := factory.Core().V1().Pods().Informer()
	claims := factory.Resource().V1().ResourceClaims().Informer()
	x := indices{
		pods:        pods.GetIndexer(),
		claims:      claims.GetIndexer(),
		podsByClaim: "draconform.dev/pods-by-claim/" + profile,
		claimsByPod: "draconform.dev/extended-claims-by-pod/" + profile,
	}
	if err := pods.AddIndexers(cache.Indexers{x.podsByClaim: claimsOfPod}); err != nil {
		return indices{}, fmt.Errorf("index pods by claim: %w", err)
	}
	if err := claims.AddIndexers(cache.Indexers{x.claimsByPod: podOfExtendedClaim}); err != nil {
		return indices{}, fmt.Errorf("index claims for extended resources by pod: %w", err)
	}
	return x, nil
}

// claimsOfPod returns the keys of the claims in a pod's spec whose name is known.
func claimsOfPod(object any) ([]string, error) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	var keys []string
	for i := range pod.Spec.ResourceClaims {
		if name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != nil {
			keys = append(keys, pod.Namespace+"/"+*name)
		}
	}
	return keys, nil
}

// podOfExtendedClaim returns the UID of the pod whose extended resources a claim provides.
func podOfExtendedClaim(object any) ([]string, error) {
	if claim, ok := object.(*resourceapi.ResourceClaim); ok {
		if owner := extendedOwner(claim); owner != nil {
			return []string{extendedClaimKey(owner.Name, owner.UID)}, nil
		}
	}
	return nil, nil
}

// extendedClaimKey returns what the claim for the extended resources of a pod is found by.
func extendedClaimKey(pod string, uid types.UID) string {
	if fault.ComparesOwnerNames {
		return pod
	}
	return string(uid)
}

// extendedOwner returns the pod whose extended resources a claim provides. It returns nil for any other claim.
func extendedOwner(claim *resourceapi.ResourceClaim) *metav1.OwnerReference {
	if claim == nil || claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] != "true" {
		return nil
	}
	return metav1.GetControllerOfNoCopy(claim)
}

// podsOfClaim returns the pods with the claim in their spec.
func (x indices) podsOfClaim(claim *resourceapi.ResourceClaim) ([]*corev1.Pod, error) {
	objects, err := x.pods.ByIndex(x.podsByClaim, claim.Namespace+"/"+claim.Name)
	if err != nil {
		return nil, fmt.Errorf("look up pods of claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	pods := make([]*corev1.Pod, 0, len(objects))
	for _, object := range objects {
		if pod, ok := object.(*corev1.Pod); ok {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// extendedClaim returns the claim that provides the pod's extended resources, or nil if there is none.
func (x indices) extendedClaim(pod *corev1.Pod) (*resourceapi.ResourceClaim, error) {
	objects, err := x.claims.ByIndex(x.claimsByPod, extendedClaimKey(pod.Name, pod.UID))
	if err != nil {
		return nil, fmt.Errorf("look up the claim for extended resources of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	for _, object := range objects {
		if claim, ok := object.(*resourceapi.ResourceClaim); ok {
			return claim, nil
		}
	}
	return nil, nil
}
