// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"regexp"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/fakedriver/affinity"
)

// afterFailedBinding returns the options of a cluster whose scheduler sees
// changed objects once the allocation of the claim of pod ghost could not be
// stored. The function that changes them gets this claim with the allocation.
func afterFailedBinding(change func(s *fakecluster.Scene, unbound *resourceapi.ResourceClaim)) fakecluster.Options {
	var unbound *resourceapi.ResourceClaim
	return wrong.With(fakecluster.SchedulerMistakes{
		Misreads: func(s *fakecluster.Scene) {
			if unbound != nil && s.Pod.Name != unbound.Name {
				change(s, unbound)
			}
		},
		Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if s.Pod.Name == "ghost" {
				unbound = s.Claims[0].DeepCopy()
				unbound.Status.Allocation = &results[0]
			}
		},
	})
}

// rewriteEntries replaces all matches of an expression in the affinity entries
// of claims, in their specs and their allocations.
func rewriteEntries(claims []*resourceapi.ResourceClaim, expression, with string) {
	each := regexp.MustCompile(expression)
	replace := func(c *resourceapi.DeviceConfiguration) {
		if c.Opaque.Driver == affinity.EntryDriver {
			c.Opaque.Parameters.Raw = each.ReplaceAll(c.Opaque.Parameters.Raw, []byte(with))
		}
	}
	for _, claim := range claims {
		for i := range claim.Spec.Devices.Config {
			replace(&claim.Spec.Devices.Config[i].DeviceConfiguration)
		}
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Config {
			replace(&claim.Status.Allocation.Devices.Config[i].DeviceConfiguration)
		}
	}
}

// inferValues makes the scheduler treat claims without entries as if they
// stated the values of the claim that it allocates.
func inferValues(s *fakecluster.Scene) {
	s.Forgetful = true // A scheduler that infers values has no devices with unknown values.
	for _, claim := range s.Objects.Claims {
		devices := &claim.Status.Allocation.Devices
		for _, config := range s.Claims[0].Spec.Devices.Config {
			if len(devices.Config) == 0 {
				devices.Config = append(devices.Config, resourceapi.DeviceAllocationConfiguration{
					Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: config.DeviceConfiguration,
				})
			}
		}
	}
}

// declareAll makes all shared devices declare a key.
func declareAll(s *fakecluster.Scene, key string) {
	for _, slice := range s.Objects.Slices {
		declared := map[string]affinity.Declaration{}
		for _, device := range slice.Spec.Devices {
			declared[device.Name] = affinity.Declaration{AttributeKeys: []string{key}}
		}
		if _, err := affinity.Annotate(slice, declared); err != nil {
			panic(err)
		}
	}
}

// declareNothing removes all affinity declarations.
func declareNothing(s *fakecluster.Scene) {
	for _, slice := range s.Objects.Slices {
		delete(slice.Annotations, affinity.Annotation)
	}
}

// unlockEarly ignores all locks while fewer claims are allocated than at an
// earlier time.
func unlockEarly() func(*fakecluster.Scene) {
	most := 0
	return func(s *fakecluster.Scene) {
		most = max(most, len(s.Objects.Claims))
		if len(s.Objects.Claims) < most {
			declareNothing(s)
		}
	}
}

// enlarge gives shared devices more slots than any spec uses.
func enlarge(s *fakecluster.Scene) {
	for _, slice := range s.Objects.Slices {
		for _, device := range slice.Spec.Devices {
			if slots, ok := device.Capacity["slots"]; ok {
				slots.Value = resource.MustParse("1000")
				device.Capacity["slots"] = slots
			}
		}
	}
}
