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
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/features"
)

var requests = field.NewPath("spec", "devices", "requests")

// detectByClaim detects the features of a cluster that stores the requests of some kind,
// or answers with an error. It returns what is created with such a request, too.
func detectByClaim(t *testing.T, of func(resourceapi.DeviceRequest) bool, stored func(*resourceapi.DeviceRequest), answered error) (features.Set, []clienttesting.CreateActionImpl, error) {
	t.Helper()
	client := cluster("resource.k8s.io/v1")
	answer(client, asItIs, nil)
	created := answerClaim(client, of, stored, answered)
	found, err := features.Detect(t.Context(), client, features.Known{}, nil)
	return found, *created, err
}

func TestDetectByClaims(t *testing.T) {
	list, admin := "spec.devices.requests[].firstAvailable of a ResourceClaim", "spec.devices.requests[].exactly.adminAccess of a ResourceClaim"
	for name, test := range map[string]struct {
		feature features.Feature
		of      func(resourceapi.DeviceRequest) bool
		stored  func(*resourceapi.DeviceRequest)
		answer  error
		want    features.Presence
	}{
		"list kept": {features.PrioritizedList, withList, asItWas, nil, features.Presence{Present: true, Source: "the API server keeps " + list + " (dry run)"}},
		// Kubernetes 1.34 to 1.36 with the feature gate DRAPrioritizedList
		// disabled.
		"list rejected": {
			features.PrioritizedList, withList, asItWas, invalid(field.Required(requests.Index(0), "exactly one of `exactly` or `firstAvailable` is required")),
			features.Presence{Source: "the API server drops " + list + " (dry run)"},
		},
		"list dropped": {
			features.PrioritizedList, withList, func(r *resourceapi.DeviceRequest) { r.FirstAvailable = nil }, nil,
			features.Presence{Source: "the API server drops " + list + " (dry run)"},
		},
		"admin access rejected": {
			features.AdminAccess, withAdminAccess, asItWas, invalid(field.Forbidden(requests.Index(0).Child("adminAccess"), "admin access to devices requires the label")),
			features.Presence{Present: true, Source: "the API server rejects " + admin + " in a namespace without the label for it (dry run)"},
		},
		"admin access kept": {features.AdminAccess, withAdminAccess, asItWas, nil, features.Presence{Present: true, Source: "the API server keeps " + admin + " (dry run)"}},
		"admin access dropped": {
			features.AdminAccess, withAdminAccess, func(r *resourceapi.DeviceRequest) { r.Exactly.AdminAccess = nil }, nil,
			features.Presence{Source: "the API server drops " + admin + " (dry run)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			found, created, err := detectByClaim(t, test.of, test.stored, test.answer)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[test.feature]).To(Equal(test.want))
			g.Expect(created).To(HaveLen(1))
			g.Expect(created[0].CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}), "nothing may be stored")
			g.Expect(created[0].GetNamespace()).To(Equal("default"), "the only namespace that every cluster has")
		})
	}
}

// Errors about other fields and of admission controllers do not show whether the
// feature is present.
func TestDetectByClaimsErrors(t *testing.T) {
	admin := requests.Index(0).Child("adminAccess")
	forbidden := apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "probe", errors.New("no claims here"))
	for name, test := range map[string]struct {
		of     func(resourceapi.DeviceRequest) bool
		answer error
		field  string
	}{
		"list, another field":           {withList, invalid(field.Required(requests.Index(0).Child("name"), "")), "firstAvailable"},
		"list, a webhook":               {withList, forbidden, "firstAvailable"},
		"list, an outage":               {withList, errors.New("connection refused"), "firstAvailable"},
		"admin access, another problem": {withAdminAccess, invalid(field.Required(admin, "")), "exactly.adminAccess"},
		"admin access, another field":   {withAdminAccess, invalid(field.Forbidden(admin.Child("name"), "")), "exactly.adminAccess"},
		"admin access, a webhook":       {withAdminAccess, forbidden, "exactly.adminAccess"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, _, err := detectByClaim(t, test.of, asItWas, test.answer)
			g.Expect(err).To(MatchError(test.answer))
			g.Expect(err).To(MatchError(HavePrefix("detect whether a ResourceClaim keeps spec.devices.requests[]." + test.field + ": ")))
		})
	}
}
