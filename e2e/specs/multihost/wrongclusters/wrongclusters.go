// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// multi-host must detect.
package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// Lacking are clusters whose drivers offer fewer devices than some specs need.
var Lacking = wrong.Table{
	"driver whose devices of two nodes exclude each other": {
		Options: tpus(fakecluster.DriverMistakes{MispublishesHosts: func(slice *resourceapi.ResourceSliceSpec) {
			slice.Devices = slices.DeleteFunc(slice.Devices, func(d resourceapi.Device) bool { return d.Name == "tpu-2x4-2-0" })
		}}), Spec: "multi-host-pairs-see-their-parts", Outcome: suite.NotApplicable,
		Want: []string{"needs two devices of two nodes that can be used together; claim first was allocated tpu.example.com/4x4/tpu-2x4-0-0, which leaves none"},
	},
}

// All are clusters with faults of multi-host devices, and the specs that must
// detect them.
var All = wrong.Join(wrongAllocations, wrongDrivers, wrongMoves)
