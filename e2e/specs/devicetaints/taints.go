// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// worn is the key of taints for which it does not matter which key they have.
const worn = "draconform.dev/worn"

// Taints for devices that are closed to new pods, and to all pods.
var (
	noSchedule = resourceapi.DeviceTaint{Key: worn, Effect: resourceapi.DeviceTaintEffectNoSchedule}
	noExecute  = resourceapi.DeviceTaint{Key: worn, Effect: resourceapi.DeviceTaintEffectNoExecute}
)

// tolerate returns a toleration of all taints with a key and an effect. Without
// an effect, it tolerates all effects.
func tolerate(key string, effect resourceapi.DeviceTaintEffect) resourceapi.DeviceToleration {
	return resourceapi.DeviceToleration{Key: key, Operator: resourceapi.DeviceTolerationOpExists, Effect: effect}
}

// withTaint returns devices with these names, each with the same taint.
func withTaint(taint resourceapi.DeviceTaint, names ...string) *simulated.Inventory {
	inventory := fixture.Devices(names...)
	for i := range inventory.Devices {
		inventory.Devices[i].Taints = []resourceapi.DeviceTaint{taint}
	}
	return inventory
}
