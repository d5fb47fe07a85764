// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

// missingSchedulingContexts states that the API server does not serve the API of
// control plane controllers. It returns an empty string if it does.
func missingSchedulingContexts(client discovery.DiscoveryInterface) (string, error) {
	const version = "resource.k8s.io/v1alpha3"
	served, err := client.ServerResourcesForGroupVersion(version)
	if err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("detect whether PodSchedulingContexts are served: get the resources of %s: %w", version, err)
	}
	if err != nil || !slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == "podschedulingcontexts" }) {
		return "the API server does not serve PodSchedulingContexts in " + version, nil
	}
	return "", nil
}
