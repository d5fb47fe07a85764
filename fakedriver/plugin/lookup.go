// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/rules"
)

// inUse returns all ResourceClaims of the cluster. The store evaluates which of
// them are reserved by pods.
func (i *instance) inUse(ctx context.Context) ([]resourceapi.ResourceClaim, error) {
	list, err := i.config.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list ResourceClaims: %w", err)
	}
	return list.Items, nil
}

// rules returns, by device, the affinity rules for claims that share a device.
// A rule counts as declared if a stored slice carries it in its annotation,
// regardless of which client wrote the annotation, because the scheduler
// evaluates the stored slices.
func (i *instance) rules(ctx context.Context) (map[string]affinity.Rule, error) {
	all := map[string]affinity.Rule{}
	for device, rule := range i.publication.demanded() {
		all[device] = affinity.Rule{Declaration: rule.Declaration}
	}
	stored, err := i.pool.list(ctx)
	if err != nil {
		return nil, err
	}
	for j := range stored {
		declared, err := rules.SharingAffinity(&stored[j])
		if err != nil {
			return nil, fmt.Errorf("ResourceSlice %s: %w", stored[j].Name, err)
		}
		for device, declaration := range declared {
			all[device] = affinity.Rule{Declaration: declaration, Declared: true}
		}
	}
	return all, nil
}
