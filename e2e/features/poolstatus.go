// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"fmt"
	"slices"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

// missingPoolStatus states that ResourcePoolStatusRequests are not served, which
// is possible although their feature gate is enabled.
func missingPoolStatus(client discovery.DiscoveryInterface) (string, error) {
	version := resourcev1alpha3.SchemeGroupVersion
	served, err := client.ServerResourcesForGroupVersion(version.String())
	if err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("detect whether ResourcePoolStatusRequests are served: get the resources of %s: %w", version, err)
	}
	if err != nil || !slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == "resourcepoolstatusrequests" }) {
		return fmt.Sprintf("the API server does not serve ResourcePoolStatusRequests in %s", version), nil
	}
	return "", nil
}
