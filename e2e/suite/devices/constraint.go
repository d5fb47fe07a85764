// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// MatchParent returns the constraint that all devices of a claim have the same
// parent.
func MatchParent(e *env.Env) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(e.Subject.Partitions.Parent))}
}

// MatchProfile returns the constraint that partitions are of the same kind. It
// applies to the given requests, or to all requests if none is given.
func MatchProfile(e *env.Env, requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{
		MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(e.Subject.Partitions.Profile)), Requests: requests,
	}
}
