// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// The fields of a ResourceClaim that an API server without a feature drops.
const (
	alternatives      = "spec.devices.requests[].firstAvailable"
	derivedAttributes = "spec.devices.requests[].exactly.derivedAttributes"
	adminAccess       = "spec.devices.requests[].exactly.adminAccess"
)

// tryAlternatives writes a claim whose only request has subrequests, as a dry
// run. An API server that drops them reports that the request lacks a required
// field.
func tryAlternatives(ctx context.Context, client kubernetes.Interface, namespace string) (Presence, error) {
	stored, err := dryRunClaim(ctx, client, namespace, resourceapi.DeviceRequest{
		Name:           "probe",
		FirstAvailable: []resourceapi.DeviceSubRequest{{Name: "probe", DeviceClassName: "probe.draconform.dev"}},
	})
	// One of exactly and firstAvailable is required.
	if err != nil && !isRejected(err, metav1.CauseTypeFieldValueRequired, "spec.devices.requests[0]") {
		return Presence{}, fmt.Errorf("detect whether a ResourceClaim keeps %s: %w", alternatives, err)
	}
	return fieldPresence(err == nil && stored != nil && len(stored.FirstAvailable) == 1, alternatives, "ResourceClaim"), nil
}

// tryDerivedAttributes writes a claim with a derived attribute and a constraint
// that refers to it, as a dry run.
func tryDerivedAttributes(ctx context.Context, client kubernetes.Interface, namespace string) (Presence, error) {
	name := resourceapi.FullyQualifiedName("probe.draconform.dev/probe")
	stored, err := dryRun(ctx, client, namespace, resourceapi.DeviceClaim{
		Requests: []resourceapi.DeviceRequest{{Name: "probe", Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: "probe.draconform.dev", DerivedAttributes: []resourceapi.DeviceDerivedAttribute{{Name: name, Expression: "1"}},
		}}},
		Constraints: []resourceapi.DeviceConstraint{{MatchAttribute: &name}},
	})
	if err != nil {
		return Presence{}, fmt.Errorf("detect whether a ResourceClaim keeps %s: %w", derivedAttributes, err)
	}
	requests := stored.Spec.Devices.Requests
	kept := len(requests) == 1 && requests[0].Exactly != nil && len(requests[0].Exactly.DerivedAttributes) == 1
	return fieldPresence(kept, derivedAttributes, "ResourceClaim"), nil
}

// dryRun creates a claim as a dry run and returns it as the API server would
// store it.
func dryRun(ctx context.Context, client kubernetes.Interface, namespace string, devices resourceapi.DeviceClaim) (*resourceapi.ResourceClaim, error) {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "draconform-probe-"}, Spec: resourceapi.ResourceClaimSpec{Devices: devices},
	}
	return client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// tryAdminAccess writes a claim with admin access, as a dry run. An API server
// with the feature rejects it unless the namespace has a label.
func tryAdminAccess(ctx context.Context, client kubernetes.Interface, namespace string) (Presence, error) {
	stored, err := dryRunClaim(ctx, client, namespace, resourceapi.DeviceRequest{
		Name:    "probe",
		Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "probe.draconform.dev", AdminAccess: ptr.To(true)},
	})
	if isRejected(err, metav1.CauseTypeForbidden, "spec.devices.requests[0].adminAccess") {
		return Presence{Present: true, Source: fmt.Sprintf("the API server rejects %s of a ResourceClaim in a namespace without the label for it (dry run)", adminAccess)}, nil
	}
	if err != nil {
		return Presence{}, fmt.Errorf("detect whether a ResourceClaim keeps %s: %w", adminAccess, err)
	}
	return fieldPresence(stored != nil && stored.Exactly != nil && ptr.Deref(stored.Exactly.AdminAccess, false), adminAccess, "ResourceClaim"), nil
}

// dryRunClaim writes a claim with one request, as a dry run. It returns the
// request as it would be stored, or nil if it would not be.
func dryRunClaim(ctx context.Context, client kubernetes.Interface, namespace string, request resourceapi.DeviceRequest) (*resourceapi.DeviceRequest, error) {
	stored, err := dryRun(ctx, client, namespace, resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{request}})
	if err != nil || len(stored.Spec.Devices.Requests) != 1 {
		return nil, err
	}
	return &stored.Spec.Devices.Requests[0], nil
}

// isRejected reports whether an API server rejected an object because of a
// field.
func isRejected(err error, why metav1.CauseType, field string) bool {
	return slices.ContainsFunc(invalidFields(err), func(c metav1.StatusCause) bool { return c.Type == why && c.Field == field })
}

// isInvalid reports whether an API server rejected an object because of a field
// or a part of it.
func isInvalid(err error, field string) bool {
	return slices.ContainsFunc(invalidFields(err), func(c metav1.StatusCause) bool { return strings.HasPrefix(c.Field, field) })
}

// invalidFields returns the fields because of which an API server rejected an
// object. There are none if the error is another one.
func invalidFields(err error) []metav1.StatusCause {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || status.ErrStatus.Details == nil {
		return nil
	}
	return status.ErrStatus.Details.Causes
}
