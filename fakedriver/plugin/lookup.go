package plugin

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/affinity"
)

// inUse returns the claims that pods have reserved.
func (i *instance) inUse(ctx context.Context) ([]resourceapi.ResourceClaim, error) {
	list, err := i.config.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list ResourceClaims: %w", err)
	}
	return list.Items, nil
}

// rules returns what claims must agree on that share a device. A declaration
// counts if a slice carries it, whoever put it there, because that is what a
// scheduler goes by.
func (i *instance) rules(ctx context.Context) (map[string]affinity.Rule, error) {
	rules := map[string]affinity.Rule{}
	for device, rule := range i.publication.demanded() {
		rules[device] = affinity.Rule{Declaration: rule.Declaration}
	}
	stored, err := i.pool.list(ctx)
	if err != nil {
		return nil, err
	}
	for _, slice := range stored {
		value, ok := slice.Annotations[affinity.Annotation]
		if !ok {
			continue
		}
		declared, err := affinity.Parse(value)
		if err != nil {
			return nil, fmt.Errorf("ResourceSlice %s: %w", slice.Name, err)
		}
		for device, declaration := range declared {
			rules[device] = affinity.Rule{Declaration: declaration, Declared: true}
		}
	}
	return rules, nil
}
