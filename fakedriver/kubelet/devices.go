// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"slices"

	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// mixUpClaims gives each claim of a call the devices of the next one.
func mixUpClaims(answers map[string]*drapb.NodePrepareResourceResponse, claims []*drapb.Claim) {
	var devices [][]*drapb.Device
	for _, claim := range claims {
		devices = append(devices, answers[claim.Uid].GetDevices())
	}
	for i, claim := range claims {
		if answer := answers[claim.Uid]; answer != nil {
			answer.Devices = devices[(i+1)%len(claims)]
		}
	}
}

// giveByRequest gives each claim of a call also the devices of the other ones for requests
// of the same name.
func giveByRequest(answers map[string]*drapb.NodePrepareResourceResponse) {
	own := map[string][]*drapb.Device{}
	for uid, answer := range answers {
		own[uid] = answer.Devices
	}
	for uid, answer := range answers {
		has := func(request string) bool {
			return slices.ContainsFunc(own[uid], func(d *drapb.Device) bool { return slices.Contains(d.RequestNames, request) })
		}
		for other, devices := range own {
			for _, device := range devices {
				if other != uid && slices.ContainsFunc(device.RequestNames, has) {
					answer.Devices = append(slices.Clip(answer.Devices), device)
				}
			}
		}
	}
}

// giveFirst gives each claim the devices of the first claim with the same key.
func (i *Interposer) giveFirst(answers map[string]*drapb.NodePrepareResourceResponse, claims []*drapb.Claim, key func(*drapb.Claim) string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.given == nil {
		i.given = map[string]*drapb.NodePrepareResourceResponse{}
	}
	for _, claim := range claims {
		if first, ok := i.given[key(claim)]; ok {
			answers[claim.Uid] = first
		} else {
			i.given[key(claim)] = answers[claim.Uid]
		}
	}
}

// dropWithoutRequests drops the devices that are for all requests of their claim.
func dropWithoutRequests(answers map[string]*drapb.NodePrepareResourceResponse) {
	for _, answer := range answers {
		answer.Devices = slices.DeleteFunc(answer.Devices, func(d *drapb.Device) bool { return len(d.RequestNames) == 0 })
	}
}
