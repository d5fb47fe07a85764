// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// The needs of specs with subrequests for partitions of one parent device. With
// one parent device, only one node fits, and the available devices are known.
var (
	subRequestFeatures = []features.Feature{features.Core, features.Partitions, features.PrioritizedList}
	subRequestKinds    = []subject.Kind{subject.KindPartition}
)

// subRequests are subrequests for devices of one parent device.
type subRequests struct{ whole, big, small devices.SubRequest }

func subRequestsOfParent(e *env.Env, parent string) subRequests {
	subRequest := func(name string, device subject.Device) devices.SubRequest {
		return devices.SubRequest{Name: name, Device: e.Subject.Partitions.OfParent(device, parent)}
	}
	p := e.Subject.Partitions
	return subRequests{whole: subRequest("whole", p.Whole), big: subRequest("big", p.Big), small: subRequest("small", p.Small)}
}

// findFreeSubRequests returns the subrequests for a parent device of which
// nothing is allocated. The scout pod allocates the whole device and is removed
// again. A scheduler that has not observed the removal yet finds none of the
// partitions available, instead of only some.
func findFreeSubRequests(ctx context.Context, e *env.Env) subRequests {
	ginkgo.GinkgoHelper()
	partitions := e.Subject.Partitions
	pods.CreateWithRequests(ctx, e, "scout", []devices.Request{{Name: "whole", Device: partitions.Whole}})
	parent := devices.GetParent(ctx, e, partitions.Parents, pods.WaitForRunning(ctx, e, "scout")[0])
	pods.DeleteWithClaim(ctx, e, "scout")
	return subRequestsOfParent(e, parent)
}

// anchor returns a request for a small partition. Constraints tie other
// requests to it.
func (s subRequests) anchor() devices.Request {
	return devices.Request{Name: "anchor", Device: s.small.Device}
}

// withName returns a copy of a subrequest with another name.
func withName(name string, s devices.SubRequest) devices.SubRequest {
	s.Name = name
	return s
}

// twoOf returns a copy of a subrequest for two devices.
func twoOf(s devices.SubRequest) devices.SubRequest {
	s.Count = 2
	return s
}

// expectRunningFor asserts that a pod runs, and checks its claim like
// [expect.AllocatedFor].
func expectRunningFor(ctx context.Context, e *env.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	pods.WaitForRunning(ctx, e, claim)
	expect.AllocatedFor(ctx, e, claim, because, want...)
}
