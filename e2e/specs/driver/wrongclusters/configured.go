// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongConfigured are clusters whose driver applies configurations incorrectly.
var wrongConfigured = wrong.Table{
	"driver ignores the configuration of claims": {
		Options: wrong.With(fakecluster.DriverMistakes{IgnoresConfigs: resourceapi.AllocationConfigSourceClaim}), Spec: "claim-configuration-reaches-container",
		Want: []string{
			"container configured of pod pod should see the configuration of its devices: true",
			"by environment variables DRACONFORM_DEVICE_.+ with values", "variable DRACONFORM_DEVICE_", "which the driver file does not describe",
		},
	},
	"driver ignores the configuration of classes": {
		Options: wrong.With(fakecluster.DriverMistakes{IgnoresConfigs: resourceapi.AllocationConfigSourceClass}), Spec: "class-configuration-reaches-container",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver ignores the configuration of classes if the claim has one": {
		Options: wrong.With(fakecluster.DriverMistakes{PrefersClaims: true}), Spec: "class-configuration-reaches-container",
		Want: []string{"container configured of pod both should see the configuration of its devices: true"},
	},
	"driver applies the configuration of a request to all": {
		Options: wrong.With(fakecluster.DriverMistakes{MixesUpConfigs: true}), Spec: "claim-configuration-reaches-container",
		Want: []string{"container config of pod pod should see the configuration of its devices: false"},
	},
	"driver applies the configuration of a class to all": {
		Options: wrong.With(fakecluster.DriverMistakes{MixesUpConfigs: true}), Spec: "class-configuration-reaches-container",
		Want: []string{"container config of pod pod should see the configuration of its devices: false"},
	},
	"driver applies the configuration of the first device only": {
		Options: wrong.With(fakecluster.DriverMistakes{ConfiguresFirst: true}), Spec: "claim-configuration-reaches-container",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver applies the configuration of a class to the first device only": {
		Options: wrong.With(fakecluster.DriverMistakes{ConfiguresFirst: true}), Spec: "class-configuration-reaches-container",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver applies the configuration of a request to others whose names begin with its name": {
		Options: wrong.With(fakecluster.DriverMistakes{ConfiguresByPrefix: true}), Spec: "claim-configuration-reaches-container",
		Want: []string{"container configured-not of pod pod should see the configuration of its devices: false"},
	},
	"driver applies the configuration of a class to requests whose names begin with that of its request": {
		Options: wrong.With(fakecluster.DriverMistakes{ConfiguresByPrefix: true}), Spec: "class-configuration-reaches-container",
		Want: []string{"container configured-not of pod pod should see the configuration of its devices: false"},
	},
	"driver ignores the configuration of a subrequest": {
		Options: wrong.With(fakecluster.DriverMistakes{IgnoresSubrequests: true}), Spec: "configuration-is-for-its-subrequests",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver applies a configuration to the first subrequest that it names": {
		Options: wrong.With(fakecluster.DriverMistakes{ReadsFirstNames: true}), Spec: "configuration-is-for-its-subrequests",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver knows the last configuration of a claim only": {
		Options: wrong.With(fakecluster.DriverMistakes{KeepsLastConfigs: true}), Spec: "configuration-is-for-its-subrequests",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver removes the quotation marks in configurations": {
		Options: wrong.With(fakecluster.DriverMistakes{StripsQuotes: true}), Spec: "claim-configuration-reaches-container",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver applies the configuration of a subrequest that was not chosen": {
		Options: wrong.With(fakecluster.DriverMistakes{MixesUpConfigs: true}), Spec: "configuration-is-for-its-subrequests",
		Want: []string{"container plain of pod pod should see the configuration of its devices: false"},
	},
	"driver ignores parameters that follow those of another driver": {
		Options: wrong.With(fakecluster.DriverMistakes{StopsAtOtherConfigs: true}), Spec: "configuration-among-those-of-others",
		Want: []string{"container configured of pod pod should see the configuration of its devices: true"},
	},
	"driver rejects the parameters of other drivers in addition to its own": {
		Options: wrong.With(fakecluster.DriverMistakes{RejectsOtherConfigs: true}), Spec: "configuration-among-those-of-others",
		Want: []string{"while waiting until pod pod runs", "decode parameters of driver another.draconform.dev"},
	},
	"restarted driver forgets configurations": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartUnconfigures: true}), Spec: "configuration-outlives-driver-restart",
		Want: []string{"container workload of pod pod-0 should see the configuration of its devices: true"},
	},
	"driver leaves a device configured when its claim ends": {
		Options: wrong.With(fakecluster.DriverMistakes{KeepsConfigs: true}), Spec: "configuration-ends-with-claim",
		Want: []string{"container workload of pod next-0-0 should see the configuration of its devices: false"},
	},
	"driver ignores a configuration that names no request": {
		Options: wrong.With(fakecluster.DriverMistakes{NeedsNamedRequests: true}), Spec: "configuration-is-for-its-requests",
		Want: []string{"container configured of pod all should see the configuration of its devices: true"},
	},
	"driver applies the configuration of a list to other requests": {
		Options: wrong.With(fakecluster.DriverMistakes{MixesUpConfigs: true}), Spec: "configuration-is-for-its-requests",
		Want: []string{"container plain of pod list should see the configuration of its devices: false"},
	},
	"driver ignores the configuration of the second request": {
		Options: wrong.With(fakecluster.DriverMistakes{ConfiguresFirst: true}), Spec: "configuration-is-for-its-requests",
		Want: []string{"container configured of pod list should see the configuration of its devices: true"},
	},
	"driver rejects parameters of other drivers": {
		Options: wrong.With(fakecluster.DriverMistakes{RejectsOtherConfigs: true}), Spec: "configuration-of-other-drivers-is-ignored",
		Want: []string{"while waiting until pod pod runs", "decode parameters of driver another.draconform.dev"},
	},
}
