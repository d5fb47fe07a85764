// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// parametersKey is the key of a ConfigMap whose value is a JSON object with parameters.
const parametersKey = "parameters"

// parameters are those of a claim or of its class.
type parameters struct {
	inventory.Parameters

	// raw is the JSON object.
	raw json.RawMessage
}

// GetClassParameters implements the interface of Kubernetes' package.
func (d driver) GetClassParameters(ctx context.Context, class *resourceapi.ResourceClass) (any, error) {
	if ref := class.ParametersRef; ref != nil {
		return d.read(ctx, ref.APIGroup, ref.Kind, ref.Namespace, ref.Name)
	}
	return parameters{}, nil
}

// GetClaimParameters implements the interface of Kubernetes' package.
func (d driver) GetClaimParameters(ctx context.Context, claim *resourceapi.ResourceClaim, _ *resourceapi.ResourceClass, _ any) (any, error) {
	if ref := claim.Spec.ParametersRef; ref != nil {
		return d.read(ctx, ref.APIGroup, ref.Kind, claim.Namespace, ref.Name)
	}
	return parameters{}, nil
}

// read reads the parameters in a ConfigMap.
func (d driver) read(ctx context.Context, group, kind, namespace, name string) (parameters, error) {
	if group != "" || kind != "ConfigMap" {
		return parameters{}, fmt.Errorf("parameters must be in a ConfigMap, not in a %s of the API group %q", kind, group)
	}
	stored, err := d.Client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return parameters{}, fmt.Errorf("get the parameters: %w", err)
	}
	p := parameters{raw: json.RawMessage(stored.Data[parametersKey])}
	if err := p.Add(p.raw); err != nil {
		return parameters{}, fmt.Errorf("read the parameters in ConfigMap %s/%s: %w", namespace, name, err)
	}
	return p, nil
}
