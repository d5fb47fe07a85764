// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// withoutErrors returns answers that have no error for any of the claims: those
// of the driver that have none, and done for all other claims.
func withoutErrors[A interface{ GetError() string }](answers map[string]A, claims []*drapb.Claim, done A) map[string]A {
	all := maps.Clone(answers)
	if all == nil {
		all = map[string]A{}
	}
	for _, claim := range claims {
		if answer, ok := all[claim.Uid]; !ok || answer.GetError() != "" {
			all[claim.Uid] = done
		}
	}
	return all
}

// ofClaims returns the answers for these claims.
func ofClaims[A any](answers map[string]A, claims []*drapb.Claim) map[string]A {
	some := map[string]A{}
	for _, claim := range claims {
		if answer, ok := answers[claim.Uid]; ok {
			some[claim.Uid] = answer
		}
	}
	return some
}

// withOtherUIDs returns the claims with UIDs that no claim has.
func withOtherUIDs(claims []*drapb.Claim) []*drapb.Claim {
	var others []*drapb.Claim
	for _, claim := range claims {
		others = append(others, &drapb.Claim{Namespace: claim.Namespace, Name: claim.Name, Uid: "other-than-" + claim.Uid})
	}
	return others
}

// giveFirstDevice leaves out the CDI devices of all devices of a claim but the
// first.
func giveFirstDevice(answers map[string]*drapb.NodePrepareResourceResponse) {
	for _, answer := range answers {
		for i, device := range answer.Devices {
			if i > 0 {
				device.CdiDeviceIds = nil
			}
		}
	}
}

// nameAnotherPool gives all devices of a claim the name of another pool.
func nameAnotherPool(answers map[string]*drapb.NodePrepareResourceResponse) {
	for _, answer := range answers {
		for _, device := range answer.Devices {
			device.PoolName = "another"
		}
	}
}

// dropShareIDs makes all devices of a claim whole ones.
func dropShareIDs(answers map[string]*drapb.NodePrepareResourceResponse) {
	for _, answer := range answers {
		for _, device := range answer.Devices {
			device.ShareId = nil
		}
	}
}

// rejectWithoutCDIDevices reports an error for each claim that has a device without CDI
// devices.
func rejectWithoutCDIDevices(answers map[string]*drapb.NodePrepareResourceResponse) {
	for _, answer := range answers {
		for _, device := range answer.Devices {
			if len(device.CdiDeviceIds) == 0 {
				answer.Error = "device " + device.DeviceName + " has no CDI devices"
			}
		}
	}
}

// giveByPrefix gives each device of a claim also to the requests with whose names that of
// its own request begins.
func giveByPrefix(answers map[string]*drapb.NodePrepareResourceResponse) {
	for _, answer := range answers {
		var requests []string
		for _, device := range answer.Devices {
			requests = append(requests, device.RequestNames...)
		}
		slices.Sort(requests)
		for _, device := range answer.Devices {
			own := device.RequestNames
			device.RequestNames = slices.DeleteFunc(slices.Compact(slices.Clone(requests)), func(request string) bool {
				return !slices.ContainsFunc(own, func(name string) bool { return strings.HasPrefix(name, request) })
			})
		}
	}
}

// mixUpRequests gives each device of a claim the request of the next one.
func mixUpRequests(answers map[string]*drapb.NodePrepareResourceResponse) {
	for _, answer := range answers {
		var requests [][]string
		for _, device := range answer.Devices {
			requests = append(requests, device.RequestNames)
		}
		for i, device := range answer.Devices {
			device.RequestNames = requests[(i+1)%len(requests)]
		}
	}
}

// prepareOnce calls the driver only if it has not failed to prepare one of the
// claims before.
func (i *Interposer) prepareOnce(ctx context.Context, d driver, claims []*drapb.Claim) (map[string]*drapb.NodePrepareResourceResponse, error) {
	if err := i.failure(claims); err != nil {
		return nil, err
	}
	answers, err := d.prepare(ctx, claims)
	i.recordFailures(claims, answers, err)
	return answers, err
}

// recordFailures records which claims of a call the driver has failed to prepare.
func (i *Interposer) recordFailures(claims []*drapb.Claim, answers map[string]*drapb.NodePrepareResourceResponse, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.failed == nil {
		i.failed = map[string]error{}
	}
	for _, claim := range claims {
		answer := answers[claim.Uid]
		switch {
		case err != nil:
			i.failed[claim.Uid] = err
		case answer == nil:
			i.failed[claim.Uid] = errors.New("the driver has not answered for the claim")
		case answer.Error != "":
			i.failed[claim.Uid] = errors.New(answer.Error)
		default:
			delete(i.failed, claim.Uid)
		}
	}
}

// unprepareSucceeded has the driver unprepare those of the claims that it has not failed to
// prepare.
func (i *Interposer) unprepareSucceeded(ctx context.Context, d driver, claims []*drapb.Claim) (map[string]*drapb.NodeUnprepareResourceResponse, error) {
	hasFailed := func(c *drapb.Claim) bool { return i.failure([]*drapb.Claim{c}) != nil }
	others := slices.DeleteFunc(slices.Clone(claims), hasFailed)
	failed := slices.DeleteFunc(slices.Clone(claims), func(c *drapb.Claim) bool { return !hasFailed(c) })
	var answers map[string]*drapb.NodeUnprepareResourceResponse
	if len(others) > 0 {
		var err error
		if answers, err = d.unprepare(ctx, others); err != nil {
			return nil, err
		}
	}
	return withoutErrors(answers, failed, &drapb.NodeUnprepareResourceResponse{}), nil
}

// failure returns the error of an earlier call for one of the claims, if any.
func (i *Interposer) failure(claims []*drapb.Claim) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, claim := range claims {
		if err := i.failed[claim.Uid]; err != nil {
			return err
		}
	}
	return nil
}

// remember records claims that the driver has prepared.
func (i *Interposer) remember(claims []*drapb.Claim) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.prepared == nil {
		i.prepared = map[string]*drapb.Claim{}
	}
	for _, claim := range claims {
		i.prepared[claim.Uid] = claim
	}
}

// known returns those of the claims that were remembered.
func (i *Interposer) known(claims []*drapb.Claim) []*drapb.Claim {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(claims), func(c *drapb.Claim) bool { return i.prepared[c.Uid] == nil })
}

// withOthers returns the given claims and all that were remembered.
func (i *Interposer) withOthers(claims []*drapb.Claim) []*drapb.Claim {
	i.mu.Lock()
	defer i.mu.Unlock()
	all := slices.Clone(claims)
	for _, uid := range slices.Sorted(maps.Keys(i.prepared)) {
		if !slices.ContainsFunc(claims, func(c *drapb.Claim) bool { return c.Uid == uid }) {
			all = append(all, i.prepared[uid])
		}
	}
	return all
}

// drop forgets the given claims.
func (i *Interposer) drop(claims []*drapb.Claim) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, claim := range claims {
		delete(i.prepared, claim.Uid)
	}
}

// forget returns the given claims and all that were remembered, and forgets
// these.
func (i *Interposer) forget(claims []*drapb.Claim) []*drapb.Claim {
	all := i.withOthers(claims)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.prepared = nil
	return all
}
