package features

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
)

// version is a version of the API that an API server may not serve.
type version schema.GroupVersion

// try asks for the versions that are served.
func (v version) try(_ context.Context, client kubernetes.Interface) (Presence, error) {
	gv := schema.GroupVersion(v)
	served, err := isServed(client.Discovery(), gv)
	if err != nil || !served {
		return Presence{Source: fmt.Sprintf("the API server does not serve %s", gv)}, err
	}
	return Presence{Present: true, Source: fmt.Sprintf("the API server serves %s", gv)}, nil
}

func isServed(client discovery.DiscoveryInterface, wanted schema.GroupVersion) (bool, error) {
	groups, err := client.ServerGroups()
	if err != nil {
		return false, fmt.Errorf("ask the cluster for its API groups: %w", err)
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
