// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

// notServed returns a function that states that the API server does not serve a
// kind of object in a version, which is possible although the feature gate of the
// kind is enabled. The function returns an empty string if it is served.
func notServed(kinds, version string) func(discovery.DiscoveryInterface) (string, error) {
	return func(client discovery.DiscoveryInterface) (string, error) {
		served, err := client.ServerResourcesForGroupVersion(version)
		switch {
		case apierrors.IsNotFound(err):
			served = &metav1.APIResourceList{}
		case err != nil:
			return "", fmt.Errorf("detect whether %s are served: get the resources of %s: %w", kinds, version, err)
		}
		if !slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == strings.ToLower(kinds) }) {
			return fmt.Sprintf("the API server does not serve %s in %s", kinds, version), nil
		}
		return "", nil
	}
}
