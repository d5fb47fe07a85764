// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongServers are clusters whose API server makes mistakes.
var wrongServers = wrong.Table{
	"API server accepts invalid names": {
		Spec: "extended-resource-names-are-validated",
		Want: []string{"a name without a domain: is accepted", "the name that another class has implicitly: is accepted", "64 characters after the domain: is accepted"},
	},
	"API server loses names": {
		Options: wrong.With(fakecluster.APIServerMistakes{Misstores: func(object map[string]any) { delete(object["spec"].(map[string]any), "extendedResourceName") }}),
		Spec:    "extended-resource-names-are-validated", Want: []string{"a name with a domain: spec.extendedResourceName should be example.com/card"},
	},
	"API server maps requests to any containers": {
		Spec: "extended-resource-status-is-validated",
		Want: []string{
			"another container: is accepted, and should be rejected because of status.extendedResourceClaimStatus.requestMappings[0].containerName",
			"another container at last: is accepted, and should be rejected because of status.extendedResourceClaimStatus.requestMappings[2].containerName",
			"another resource: is accepted, and should be rejected because of status.extendedResourceClaimStatus.requestMappings[0].resourceName",
		},
	},
	"quotas for extended resources do not count claims": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChargesClassesOnly: true}), Spec: "extended-resource-counts-for-quota",
		Want: []string{"the claim should be rejected, because the quota is of three of the extended resource"},
	},
	"quotas exempt all claims that are marked as those of pods": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChargesNoExtended: true}), Spec: "extended-resource-quota-counts-own-claims",
		Want: []string{"a second claim for two devices should be rejected, because it is not for the extended resources of the pod"},
	},
	"quotas count extended resources twice": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChargesExtendedTwice: true}), Spec: "extended-resource-counts-for-quota",
		Want: []string{"the quota should count the extended resource of a pod, and the device that provides it, once"},
	},
	"API server keeps names without the feature": {
		Target: wrong.WithoutFeature(features.ExtendedResources), Spec: "extended-resource-names-are-dropped",
		Want: []string{"a class with a name: extendedResourceName should be dropped"},
	},
}
