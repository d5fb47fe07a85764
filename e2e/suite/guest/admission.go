// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// CheckAdmission returns the rejections of Admission, and its error.
func (g *Guest) CheckAdmission(ctx context.Context) error {
	rejections, err := g.Admission(ctx)
	return errors.Join(errors.Join(rejections...), err)
}

// Admission creates, as dry runs, a claim and a pod for each kind of devices. It
// returns what in the namespace or in the cluster forbids them, such as quota, a
// LimitRange, the pod security level or missing rights, and what would change that.
// The error is about requests that the API server did not answer.
func (g *Guest) Admission(ctx context.Context) (rejections []error, err error) {
	e := g.env()
	for _, kind := range subject.Kinds() {
		device, ok := g.config.Subject.DeviceOf(kind)
		if !ok {
			continue
		}
		claim := &resourceapi.ResourceClaim{Spec: resourceapi.ResourceClaimSpec{Devices: devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device}})}}
		claim.Name = "try"
		for _, try := range []struct {
			what string
			do   func() error
		}{
			{"claim", func() error { return claims.DryRunCreate(ctx, e, claim.Spec.Devices) }},
			{"pod", func() error { return pods.DryRunCreate(ctx, e, claim) }},
		} {
			err := try.do()
			if err == nil || apierrors.IsAlreadyExists(err) { // The latter is after admission.
				continue
			}
			if !isRejection(err) {
				return rejections, fmt.Errorf("create a %s as a dry run in namespace %s: %w", try.what, g.namespace, err)
			}
			rejections = append(rejections, fmt.Errorf("a %s for %s devices of driver %s cannot be created in namespace %s: %w; %s",
				try.what, kind, device.Driver, g.namespace, err, adviceFor(err)))
		}
	}
	return rejections, nil
}

// isRejection reports whether the API server has rejected an object because of
// what it is. Otherwise the server was not reached, or too busy.
func isRejection(err error) bool {
	for _, about := range []func(error) bool{apierrors.IsForbidden, apierrors.IsInvalid, apierrors.IsBadRequest, apierrors.IsNotFound, apierrors.IsRequestEntityTooLargeError} {
		if about(err) {
			return true
		}
	}
	return false
}

// advices has what to do about an error of the API server, by a part of its
// message. The messages are those of the admission plugins of Kubernetes.
var advices = []struct{ part, advice string }{
	{quotaExceeded, "raise the quota, or use a namespace without one"},
	{"failed quota", "set what the quota demands under pods.resources of the driver file"},
	{"violates PodSecurity", "change pods.securityContext of the driver file, or use a namespace whose pod security level permits it"},
	{"security context constraint", "set what a security context constraint of the namespace permits under pods.securityContext of the driver file"},
	{" usage per ", "set amounts within the LimitRange under pods.resources of the driver file"},
	{"RuntimeClass", "correct pods.runtimeClassName of the driver file"},
	{"cannot create resource", "grant the rights that \"draconform rbac\" prints"},
}

// Rejected returns why a failed spec is not conclusive: in a given namespace,
// which others use too, its quota is used up. It returns an empty string for any
// other failure.
func (g *Guest) Rejected(failure string) string {
	_, details, isQuota := strings.Cut(failure, quotaExceeded)
	if !g.config.Given || !isQuota {
		return ""
	}
	details, _, _ = strings.Cut(details, "\n")
	return fmt.Sprintf("the quota of namespace %s has no room for another object%s; raise the quota, or use a namespace without one", g.namespace, details)
}

// quotaExceeded is a part of the API server's message about an object for which a
// quota has no room.
const quotaExceeded = "exceeded quota"

func adviceFor(err error) string {
	for _, known := range advices {
		if strings.Contains(err.Error(), known.part) {
			return known.advice
		}
	}
	if apierrors.IsForbidden(err) {
		return "an admission plugin or a webhook of the cluster forbids it"
	}
	return "correct the driver file"
}
