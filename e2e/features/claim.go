// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"context"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// alternatives is the field of a ResourceClaim that an API server without
// prioritized lists drops.
const alternatives = "spec.devices.requests[].firstAvailable"

// tryAlternatives writes a claim whose only request has subrequests, as a dry
// run. An API server that drops them reports that the request lacks a required
// field.
func tryAlternatives(ctx context.Context, client kubernetes.Interface, namespace string) (Presence, error) {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "draconform-probe-"},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name:           "probe",
			FirstAvailable: []resourceapi.DeviceSubRequest{{Name: "probe", DeviceClassName: "probe.draconform.dev"}},
		}}}},
	}
	stored, err := client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil && !lacksRequest(err) {
		return Presence{}, fmt.Errorf("detect whether a ResourceClaim keeps %s: %w", alternatives, err)
	}
	return fieldPresence(err == nil && keepsAlternatives(stored), alternatives, "ResourceClaim"), nil
}

func keepsAlternatives(claim *resourceapi.ResourceClaim) bool {
	requests := claim.Spec.Devices.Requests
	return len(requests) == 1 && len(requests[0].FirstAvailable) == 1
}

// lacksRequest reports whether an API server rejected a request because it has
// neither exactly nor firstAvailable, one of which is required.
func lacksRequest(err error) bool {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || status.ErrStatus.Details == nil {
		return false
	}
	return slices.ContainsFunc(status.ErrStatus.Details.Causes, func(c metav1.StatusCause) bool {
		return c.Type == metav1.CauseTypeFieldValueRequired && c.Field == "spec.devices.requests[0]"
	})
}
