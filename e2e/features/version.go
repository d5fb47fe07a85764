// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"context"
	"fmt"

	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
)

// version is a version of the API that an API server may not serve.
type version struct{ schema.GroupVersion }

// versions are the API versions that specs use in addition to v1.
var versions = map[Feature]version{
	V1beta1: {resourcev1beta1.SchemeGroupVersion},
	V1beta2: {resourcev1beta2.SchemeGroupVersion},
}

// try determines whether the version is served.
func (v version) try(_ context.Context, client kubernetes.Interface, _ string) (Presence, error) {
	served, err := isServed(client.Discovery(), v.GroupVersion)
	if err != nil {
		return Presence{}, err
	}
	return v.found(served), nil
}

func (v version) found(served bool) Presence {
	if !served {
		return Presence{Source: fmt.Sprintf("the API server does not serve %s", v)}
	}
	return Presence{Present: true, Source: fmt.Sprintf("the API server serves %s", v)}
}

func isServed(client discovery.DiscoveryInterface, wanted schema.GroupVersion) (bool, error) {
	groups, err := client.ServerGroups()
	if err != nil {
		return false, fmt.Errorf("get the API groups of the cluster: %w", err)
	}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			if v.GroupVersion == wanted.String() {
				return true, nil
			}
		}
	}
	return false, nil
}
