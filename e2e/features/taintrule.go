// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// TaintRuleVersion returns the newest version of the API in which an API server
// serves DeviceTaintRules: v1alpha3 up to Kubernetes 1.35, v1beta2 in 1.36, and
// v1 since 1.37. It is empty if the API server serves none of them.
func TaintRuleVersion(client discovery.DiscoveryInterface) (schema.GroupVersion, error) {
	for _, version := range []schema.GroupVersion{resourceapi.SchemeGroupVersion, resourcev1beta2.SchemeGroupVersion, resourcev1alpha3.SchemeGroupVersion} {
		served, err := client.ServerResourcesForGroupVersion(version.String())
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return schema.GroupVersion{}, fmt.Errorf("get the resources of %s: %w", version, err)
		}
		if slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == "devicetaintrules" }) {
			return version, nil
		}
	}
	return schema.GroupVersion{}, nil
}

// missingTaintRules states that DeviceTaintRules are not served, which is
// possible although their feature gate is enabled.
func missingTaintRules(client discovery.DiscoveryInterface) (string, error) {
	version, err := TaintRuleVersion(client)
	if err != nil {
		return "", fmt.Errorf("detect whether DeviceTaintRules are served: %w", err)
	}
	if version.Empty() {
		return "the API server serves DeviceTaintRules in no version", nil
	}
	return "", nil
}
