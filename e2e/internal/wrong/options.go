// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"maps"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/suite/env"
)

// With returns the options of a cluster with one GPU and the given faults.
func With(faults ...fakecluster.ComponentMistakes) fakecluster.Options {
	return fakecluster.Options{Mistakes: fakecluster.MistakesOf(faults...)}
}

// Misevicts returns the options of a cluster whose controller knows something else about
// allocated devices with taints.
func Misevicts(change func(*fakecluster.Eviction)) fakecluster.Options {
	return With(fakecluster.ControllerMistakes{Misevicts: change})
}

// Misreads returns the options of a cluster whose scheduler sees changed
// objects.
func Misreads(change func(*fakecluster.Scene)) fakecluster.Options {
	return With(fakecluster.SchedulerMistakes{Misreads: change})
}

// MisreadsDevices returns the options of a cluster whose scheduler sees changed
// devices.
func MisreadsDevices(change func(*resourceapi.Device)) fakecluster.Options {
	return Misreads(func(s *fakecluster.Scene) {
		ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, device *resourceapi.Device) { change(device) })
	})
}

// MisreadsClaims returns the options of a cluster whose scheduler sees changed
// specs of the claims that it allocates.
func MisreadsClaims(change func(*resourceapi.DeviceClaim)) fakecluster.Options {
	return Misreads(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			change(&claim.Spec.Devices)
		}
	})
}

// Misstores returns the options of a cluster whose API server changes
// spec.devices of objects of a kind when it stores them.
func Misstores(kind string, change func(devices any)) fakecluster.Options {
	return With(fakecluster.APIServerMistakes{Misstores: func(object map[string]any) {
		if object["kind"] == kind {
			change(object["spec"].(map[string]any)["devices"])
		}
	}})
}

// StoresAllParts returns the options of a cluster whose API server stores all parts of
// objects at an endpoint: create, update or status.
func StoresAllParts(endpoint string) fakecluster.Options {
	return With(fakecluster.APIServerMistakes{StoresAllParts: func(of string) bool { return of == endpoint }})
}

// WithoutFeature returns a change of the suite's information about a cluster:
// the cluster does not have the feature.
func WithoutFeature(feature features.Feature) func(*env.Target) {
	return func(target *env.Target) {
		target.Found = maps.Clone(target.Found)
		delete(target.Found, feature)
	}
}
