// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongServers are clusters whose API server or controllers make mistakes.
var wrongServers = wrong.Table{
	"API server accepts admin access in claims of all namespaces": {
		Options: misjudges(func(kind, value string, _ bool) bool { return kind == "ResourceClaim" || value == "true" }), Spec: "admin-access-needs-label",
		Want: []string{"a claim with admin access should be rejected, because the namespace lacks the label"},
	},
	"API server accepts any value of the label": {
		Options: misjudges(func(_, _ string, labelled bool) bool { return labelled }), Spec: "admin-access-needs-label",
		Want: []string{`a claim with admin access should be rejected, because the label has the value "True"`},
	},
	"API server ignores the case of the label": {
		Options: misjudges(func(_, value string, _ bool) bool { return strings.EqualFold(value, "true") }), Spec: "admin-access-needs-label",
		Want: []string{`a claim with admin access should be rejected, because the label has the value "True"`},
	},
	"API server accepts admin access in no namespace": {
		Options: misjudges(func(string, string, bool) bool { return false }), Spec: "admin-access-needs-label",
		Want: []string{"a claim with admin access should be accepted, because the namespace has the label"},
	},
	"API server accepts admin access in templates of all namespaces": {
		Options: misjudges(func(kind, value string, _ bool) bool { return kind == "ResourceClaimTemplate" || value == "true" }), Spec: "admin-access-in-templates-needs-label",
		Want: []string{"a template with admin access should be rejected, because the namespace lacks the label"},
	},
	"API server accepts any value of the label for templates": {
		Options: misjudges(func(_, _ string, labelled bool) bool { return labelled }), Spec: "admin-access-in-templates-needs-label",
		Want: []string{`a template with admin access should be rejected, because the label has the value "True"`},
	},
	"API server accepts admin access in the status of claims of all namespaces": {
		Options: misjudges(func(kind, value string, _ bool) bool { return kind == "ResourceClaimStatus" || value == "true" }), Spec: "admin-access-in-status-needs-label",
		Want: []string{"a status with admin access should be rejected, because the namespace lacks the label"},
	},
	"API server accepts any value of the label for the status of claims": {
		Options: misjudges(func(_, _ string, labelled bool) bool { return labelled }), Spec: "admin-access-in-status-needs-label",
		Want: []string{`a status with admin access should be rejected, because the label has the value "True"`},
	},
	"API server looks at the first request of a claim": {
		Options: wrong.With(fakecluster.APIServerMistakes{ReadsFirstAdminAccess: true}), Spec: "admin-access-needs-label",
		Want: []string{"a claim with admin access should be rejected, because the namespace lacks the label"},
	},
	"API server looks at the first request of a template": {
		Options: wrong.With(fakecluster.APIServerMistakes{ReadsFirstAdminAccess: true}), Spec: "admin-access-in-templates-needs-label",
		Want: []string{"a template with admin access should be rejected, because the namespace lacks the label"},
	},
	"API server looks at the first result in the status of a claim": {
		Options: wrong.With(fakecluster.APIServerMistakes{ReadsFirstAdminAccess: true}), Spec: "admin-access-in-status-needs-label",
		Want: []string{"a status with admin access should be rejected, because the namespace lacks the label"},
	},
	"API server accepts admin access in the status of no claim": {
		Options: misjudges(func(kind, value string, _ bool) bool { return kind != "ResourceClaimStatus" && value == "true" }), Spec: "admin-access-in-status-needs-label",
		Want: []string{"a status with admin access should be accepted, because the namespace has the label"},
	},
	"API server requires the label for each update of a claim": {
		Options: wrong.With(fakecluster.APIServerMistakes{GrantsAdminAccessEachTime: true}), Spec: "admin-access-outlives-label",
		Want: []string{"the API server should accept a status of claim monitor, because its allocation with admin access was accepted before"},
	},
	"claims with admin access stay reserved": {
		Options: wrong.With(fakecluster.ControllerMistakes{HoldsForDeleted: true}), Spec: "admin-access-outlives-label",
		Want: []string{"claim monitor should be reserved for 1 consumers, because one of its pods is deleted"},
	},
	"claims with admin access are deallocated with their first pod": {
		Options: wrong.With(fakecluster.ControllerMistakes{ReleasesEarly: true}), Spec: "admin-access-outlives-label",
		Want: []string{"claim monitor has been deallocated"},
	},
	"API server grants admin access once": {Spec: "admin-access-outlives-label", Outcome: suite.Passed},
	"claims from templates have no admin access": {
		Options: wrong.With(fakecluster.ControllerMistakes{MisgeneratesClaims: refuse}), Spec: "admin-access-from-template",
		Want: []string{"pod monitor is not scheduled"},
	},
	"quotas do not count admin access": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChargesNoAdmins: true}), Spec: "admin-access-counts-for-quota",
		Want: []string{"the quota should count devices that are requested for admin access"},
	},
	"API server keeps admin access without the feature": {
		Target: wrong.WithoutFeature(features.AdminAccess), Spec: "admin-access-fields-are-dropped",
		Want: []string{"a claim with admin access: adminAccess should be dropped", "a template with admin access: adminAccess should be dropped"},
	},
}

func misjudges(accepts func(kind, value string, labelled bool) bool) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{MisjudgesAdminAccess: accepts})
}

// refuse makes the requests of a claim ordinary ones.
func refuse(c *resourceapi.DeviceClaim) {
	for _, request := range c.Requests {
		request.Exactly.AdminAccess = nil
	}
}
