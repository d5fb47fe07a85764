// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateTemplate creates a ResourceClaimTemplate.
func CreateTemplate(ctx context.Context, e *env.Env, name string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	gomega.Expect(createTemplate(ctx, e, name, devices, metav1.CreateOptions{})).To(gomega.Succeed())
}

// DryRunCreateTemplate creates a ResourceClaimTemplate as a dry run and returns
// the error of the API server.
func DryRunCreateTemplate(ctx context.Context, e *env.Env, devices resourceapi.DeviceClaim) error {
	return createTemplate(ctx, e, "try", devices, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func createTemplate(ctx context.Context, e *env.Env, name string, devices resourceapi.DeviceClaim, options metav1.CreateOptions) error {
	template := &resourceapi.ResourceClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.Labels},
		Spec: resourceapi.ResourceClaimTemplateSpec{
			// Generated claims have the labels of the template's spec.
			ObjectMeta: metav1.ObjectMeta{Labels: e.Labels},
			Spec:       resourceapi.ResourceClaimSpec{Devices: devices},
		},
	}
	if _, err := e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace).Create(ctx, template, options); err != nil {
		return fmt.Errorf("create template %s: %w", name, err)
	}
	return nil
}

// Create creates a claim.
func Create(ctx context.Context, e *env.Env, name string, devices resourceapi.DeviceClaim) (*resourceapi.ResourceClaim, error) {
	return create(ctx, e, name, devices, metav1.CreateOptions{})
}

// DryRunCreate creates a claim as a dry run and returns the error of the API
// server.
func DryRunCreate(ctx context.Context, e *env.Env, devices resourceapi.DeviceClaim) error {
	_, err := create(ctx, e, "try", devices, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

func create(ctx context.Context, e *env.Env, name string, devices resourceapi.DeviceClaim, options metav1.CreateOptions) (*resourceapi.ResourceClaim, error) {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.Labels},
		Spec:       resourceapi.ResourceClaimSpec{Devices: devices},
	}
	created, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(ctx, claim, options)
	if err != nil {
		return nil, fmt.Errorf("create claim %s: %w", name, err)
	}
	return created, nil
}
