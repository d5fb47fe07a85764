// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/e2e/subject/published"
)

// checkPartitions checks that a whole parent is free.
func (c *checker) checkPartitions(u *uses) {
	field := u.small.field
	set := sets.New(u.small.selected...)
	var parents, free []*published.Parent
	var held []*published.Device
	for _, parent := range c.driver.Parents(c.driver.Devices) {
		if len(parent.Of(set)) == 0 {
			continue
		}
		parents = append(parents, parent)
		if taken := c.holders.held(parent.Devices); len(taken) > 0 {
			held = append(held, taken...)
		} else {
			free = append(free, parent)
		}
	}
	if len(free) == 0 {
		c.report(Problem, checkDevices, field, "specs need a parent of which nothing is allocated, and all %d are in use: %s. Delete the claims, or wait", len(parents), c.whyNot(held))
	} else {
		c.report(OK, checkDevices, field, "%d of %d parents are free", len(free), len(parents))
	}
	c.usableNodes(field, c.freePerNode(u.small.selected))
	c.checkCombinations(u, parents)
	c.checkParents(u, parents)
}

// checkShared checks that devices have room for shares.
func (c *checker) checkShared(u *uses) {
	field := u.share.field
	requested := u.share.requested(c.file)
	room := map[string][]*published.Device{}
	n := 0
	for _, d := range u.share.selected {
		for _, node := range d.Nodes {
			room[node] = append(room[node], d)
		}
		if c.holders.room(d, requested, sharesOfDevice) >= sharesOfDevice {
			n++
		}
	}
	empty := func(d *published.Device) bool { return (holders{}).room(d, requested, sharesOfDevice) < sharesOfDevice }
	switch i := slices.IndexFunc(u.share.selected, empty); {
	case i >= 0:
		c.report(Problem, "capacity", field, "device %s has no room for %d shares even if nothing is allocated: correct capacity, so that it is an amount that the device has and its request policy allows", u.share.selected[i].ID(), sharesOfDevice)
	case n == 0:
		c.report(Problem, checkDevices, field, "none of the %d devices has room for %d more shares: %s. Delete the claims, or wait", len(u.share.selected), sharesOfDevice, c.holding(u.share.selected))
	default:
		c.report(OK, checkDevices, field, "%d of %d devices have room for %d more shares", n, len(u.share.selected), sharesOfDevice)
	}
	c.usableNodes(field, room)
	if identity := c.file.Roles.Shared.Identity; identity != "" {
		c.checkUnique("roles.shared.identity", c.file.Expand(identity), u.share.selected)
	}
}

// holding lists the claims of devices.
func (c *checker) holding(devices []*published.Device) string {
	var all []string
	for _, d := range c.holders.held(devices) {
		all = append(all, fmt.Sprintf("%s is allocated to claim %s", d.ID(), c.holders.of(d).claim))
	}
	return some(all)
}

// checkMultiHost checks that a pair is free, and a quad if there is one.
func (c *checker) checkMultiHost(u *uses) {
	for _, device := range []*use{u.pair, u.quad} {
		if device == nil || len(device.selected) == 0 {
			continue
		}
		free := c.free(device.selected)
		if len(free) == 0 {
			c.report(Problem, checkDevices, device.field, "none of the %d devices is free: %s. Delete the claims, or wait", len(device.selected), c.whyNot(device.selected))
			continue
		}
		usable := c.usableNodes(device.field, c.freePerNode(device.selected))
		n := 0
		for _, d := range free {
			if !slices.ContainsFunc(d.Nodes, func(node string) bool { _, found := usable[node]; return !found }) {
				n++
			}
		}
		switch {
		case usable == nil: // Reported.
		case n == 0:
			c.report(Problem, checkDevices, device.field, "%d devices are free, and pods can run on all nodes of none of them: change pods.nodeSelector and pods.tolerations, or the nodes", len(free))
		default:
			c.report(OK, checkDevices, device.field, "%d devices are free", n)
		}
	}
}
