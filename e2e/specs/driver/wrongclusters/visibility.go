// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// wrongAdmins are clusters in which claims with admin access are handled
// incorrectly.
var wrongAdmins = wrong.Table{
	"driver does not give devices to containers with admin access": {
		Options: wrong.With(fakecluster.ContainerMistakes{HidesFromAdmins: true}), Spec: "admin-access-container-sees-device",
		Want: []string{"the container of pod monitor should see the devices of its claim and no others", "the missing elements were"},
	},
	"driver that should give admin access refuses it": {
		Options: fakecluster.Options{RefusesAdminAccess: true}, Spec: "admin-access-container-sees-device",
		Want: []string{"while waiting until pod monitor runs", "admin access is not supported"},
	},
}

// withoutVisibility are drivers of whose devices containers see too little for a
// spec to assert anything.
var withoutVisibility = wrong.Table{
	"driver whose devices are hidden": seesOnly(subject.Hidden, "pod-without-claim-sees-no-devices",
		"the file of driver mig.example.com does not say how containers see devices: add containers to gpu.yaml, line 3"),
	"driver whose devices are hidden from other pods": seesOnly(subject.Hidden, "pods-do-not-see-each-others-devices", "the file of driver mig.example.com does not say how containers see devices"),
	"driver of which containers see that there are devices": seesOnly(subject.Present, "pods-do-not-see-each-others-devices",
		"containers of driver mig.example.com only shows that there are some: add an entry without presence above it to gpu.yaml, line 3"),
	"driver of which only the last entry of containers matches": {
		Spec: "pods-do-not-see-each-others-devices", Outcome: suite.NotApplicable, Want: []string{"only entries of containers with presence match"},
		Target: func(target *env.Target) {
			target.Subject.Seen = func(subject.Container) (subject.Seen, error) {
				return subject.Seen{Unidentified: []string{"mig.example.com"}}, nil
			}
		},
	},
}

// seesOnly returns a cluster with a driver whose file describes less than a spec
// needs.
func seesOnly(visibility subject.Visibility, spec, want string) wrong.Cluster {
	return wrong.Cluster{Spec: spec, Outcome: suite.NotApplicable, Want: []string{want}, Target: func(target *env.Target) {
		target.Subject.Visible = map[string]subject.Visible{"mig.example.com": {Visibility: visibility, Position: "gpu.yaml, line 3"}}
	}}
}
