// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// DryRunCreate creates an object of resource.k8s.io/v1, or a pod, as a dry run, and
// returns the object as the API server would store it. The spec may contain
// fields that this program does not know. kind is ResourceClaim,
// ResourceClaimTemplate, ResourceSlice, DeviceClass or Pod.
func DryRunCreate(ctx context.Context, e *Env, kind string, spec map[string]any) (map[string]any, error) {
	version, client := resourceapi.SchemeGroupVersion.String(), e.Client.ResourceV1().RESTClient()
	if kind == "Pod" {
		version, client = corev1.SchemeGroupVersion.String(), e.Client.CoreV1().RESTClient()
	}
	object := map[string]any{
		"apiVersion": version, "kind": kind,
		"metadata": map[string]any{"name": e.UniqueName() + "-try", "labels": e.Labels},
		"spec":     spec,
	}
	body, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	var stored map[string]any
	result := createRequest(client, kind, e.Namespace).
		Param("dryRun", metav1.DryRunAll).Param("fieldValidation", metav1.FieldValidationIgnore).
		SetHeader("Content-Type", "application/json").SetHeader("Accept", "application/json").Body(body).Do(ctx)
	if err := result.Error(); err != nil {
		return nil, fmt.Errorf("create %s as a dry run: %w", kind, err)
	}
	content, err := result.Raw()
	if err == nil {
		err = json.Unmarshal(content, &stored)
	}
	if err != nil {
		return nil, fmt.Errorf("decode the stored %s: %w", kind, err)
	}
	return stored, nil
}

// createRequest returns a request to create an object. ResourceSlices and
// DeviceClasses are not namespaced.
func createRequest(client rest.Interface, kind, namespace string) *rest.Request {
	switch kind {
	case "DeviceClass":
		return client.Post().Resource("deviceclasses")
	case "ResourceSlice":
		return client.Post().Resource("resourceslices")
	}
	return client.Post().Resource(strings.ToLower(kind) + "s").Namespace(namespace)
}
