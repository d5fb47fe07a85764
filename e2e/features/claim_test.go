// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/draconform/draconform/e2e/features"
)

func TestDetectPrioritizedList(t *testing.T) {
	path := field.NewPath("spec", "devices", "requests")
	for name, test := range map[string]struct {
		stored  func(*resourceapi.DeviceRequest)
		answer  error
		present bool
		why     string
	}{
		"kept": {asItWas, nil, true, "the API server keeps spec.devices.requests[].firstAvailable of a ResourceClaim (dry run)"},
		// Kubernetes 1.34 to 1.36 with the feature gate DRAPrioritizedList
		// disabled.
		"rejected": {asItWas, invalid(field.Required(path.Index(0), "exactly one of `exactly` or `firstAvailable` is required")), false, "the API server drops spec.devices.requests[].firstAvailable of a ResourceClaim (dry run)"},
		"dropped": {
			func(r *resourceapi.DeviceRequest) { r.FirstAvailable = nil }, nil, false,
			"the API server drops spec.devices.requests[].firstAvailable of a ResourceClaim (dry run)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			requests := answerClaim(client, withList, test.stored, test.answer)
			found, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.PrioritizedList]).To(Equal(features.Presence{Present: test.present, Source: test.why}))
			g.Expect(*requests).To(HaveLen(1))
			g.Expect((*requests)[0].CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}), "nothing may be stored")
			g.Expect((*requests)[0].GetNamespace()).To(Equal("default"), "the only namespace that every cluster has")
		})
	}
	// Errors about other fields and of admission controllers do not show
	// whether the feature is present.
	for name, rejection := range map[string]error{
		"another field": invalid(field.Required(path.Index(0).Child("name"), "")),
		"a webhook":     apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "probe", errors.New("no claims here")),
		"an outage":     errors.New("connection refused"),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			answerClaim(client, withList, asItWas, rejection)
			_, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).To(MatchError(rejection))
			g.Expect(err).To(MatchError(HavePrefix("detect whether a ResourceClaim keeps spec.devices.requests[].firstAvailable: ")))
		})
	}
}

func TestDetectAdminAccess(t *testing.T) {
	path := field.NewPath("spec", "devices", "requests").Index(0).Child("adminAccess")
	for name, test := range map[string]struct {
		stored func(*resourceapi.DeviceRequest)
		answer error
		want   features.Presence
	}{
		"rejected": {
			asItWas, invalid(field.Forbidden(path, "admin access to devices requires the label")),
			features.Presence{Present: true, Source: "the API server rejects spec.devices.requests[].exactly.adminAccess of a ResourceClaim in a namespace without the label for it (dry run)"},
		},
		"kept": {asItWas, nil, features.Presence{Present: true, Source: "the API server keeps spec.devices.requests[].exactly.adminAccess of a ResourceClaim (dry run)"}},
		"dropped": {
			func(r *resourceapi.DeviceRequest) { r.Exactly.AdminAccess = nil }, nil,
			features.Presence{Source: "the API server drops spec.devices.requests[].exactly.adminAccess of a ResourceClaim (dry run)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			requests := answerClaim(client, withAdminAccess, test.stored, test.answer)
			found, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.AdminAccess]).To(Equal(test.want))
			g.Expect(*requests).To(HaveLen(1))
			g.Expect((*requests)[0].CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}), "nothing may be stored")
		})
	}
	for name, rejection := range map[string]error{
		"another problem": invalid(field.Required(path, "")),
		"another field":   invalid(field.Forbidden(path.Child("name"), "")),
		"a webhook":       apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "probe", errors.New("no claims here")),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			answerClaim(client, withAdminAccess, asItWas, rejection)
			_, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).To(MatchError(rejection))
			g.Expect(err).To(MatchError(HavePrefix("detect whether a ResourceClaim keeps spec.devices.requests[].exactly.adminAccess: ")))
		})
	}
}
