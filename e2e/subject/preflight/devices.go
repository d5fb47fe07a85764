// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/e2e/subject/published"
)

// What specs use at the same time.
const (
	exclusivePerNode = 4
	sharesOfDevice   = 2
)

// checkDriver checks what the driver publishes against its file.
func (c *checker) checkDriver() error {
	if c.driver == nil {
		message := "the cluster has no ResourceSlices"
		if names := published.Names(c.drivers); len(names) > 0 {
			message = "the cluster only has ResourceSlices of " + strings.Join(names, ", ")
		}
		c.report(Problem, "driver", "name", "the driver publishes nothing, %s: check the name, and that the driver's pods run", message)
		return nil
	}
	c.checkPools()
	if len(c.driver.Devices) == 0 {
		if !slices.ContainsFunc(c.driver.Pools, func(p published.Pool) bool { return p.Devices > 0 }) {
			c.report(Problem, "driver", "name", "the driver publishes no devices: look at the logs of its pods")
		}
		return nil
	}
	u := usesOf(c.file)
	suits := map[*use]bool{}
	for _, device := range u.all() {
		if !c.isSupported(device) {
			continue
		}
		ok, err := c.checkRequest(device)
		if err != nil {
			return err
		}
		suits[device] = ok
	}
	for _, check := range []struct {
		device *use
		check  func(*uses)
	}{{u.exclusive, c.checkExclusive}, {u.small, c.checkPartitions}, {u.share, c.checkShared}, {u.pair, c.checkMultiHost}} {
		if suits[check.device] {
			check.check(u)
		}
	}
	return nil
}

func (c *checker) checkPools() {
	usable := 0
	for _, p := range c.driver.Pools {
		if p.Unusable != "" {
			c.report(Problem, checkPool, "name", "schedulers do not use pool %s: %s. Wait until the driver has published all slices, or correct the driver", p.Name, p.Unusable)
		} else {
			usable++
		}
	}
	if usable > 0 {
		c.report(OK, checkPool, "name", "%d of %d pools are complete and valid, with %d devices", usable, len(c.driver.Pools), len(c.driver.Devices))
	}
}

// checkExclusive checks that nodes have enough free devices.
func (c *checker) checkExclusive(u *uses) {
	field := u.exclusive.field
	c.checkCount(u.exclusive)
	if u.exclusiveWhole != nil && len(u.exclusiveWhole.selected) > 0 {
		c.checkUnique("roles.exclusive.parents.attribute", c.file.Expand(c.file.Roles.Exclusive.Parents.Attribute), u.exclusiveWhole.selected)
	}
	free := c.freePerNode(u.exclusive.selected)
	if usable := c.usableNodes(field, free); usable != nil {
		free = usable
	}
	var enough, few []string
	for _, node := range slices.Sorted(maps.Keys(free)) {
		if len(free[node]) >= exclusivePerNode {
			enough = append(enough, node)
		} else {
			few = append(few, fmt.Sprintf("%s has %d", node, len(free[node])))
		}
	}
	switch {
	case total(free) == 0:
		c.report(Problem, checkDevices, field, "none of the %d devices is free: %s. Delete the claims, or wait", len(u.exclusive.selected), c.whyNot(u.exclusive.selected))
	case len(few) > 0:
		c.report(Warning, checkDevices, field, "specs use up to %d devices of a node, and %s free: specs that need more are not applicable. Use nodes with more devices, or delete claims", exclusivePerNode, some(few))
	default:
		c.report(OK, checkDevices, field, "%d nodes have at least %d free devices", len(enough), exclusivePerNode)
	}
}

// checkCount checks that nodes have as many devices as a request asks for.
func (c *checker) checkCount(u *use) {
	if u.Count <= 1 {
		return
	}
	for _, node := range published.Nodes(u.selected) {
		if n := len(published.OnNode(u.selected, node)); int64(n) < u.Count {
			c.report(Problem, "count", u.field, "count is %d, and node %s has only %d of these devices: correct count", u.Count, node, n)
			return
		}
	}
}

// freePerNode returns the free devices by node. Nodes of devices that are all in
// use have an empty list.
func (c *checker) freePerNode(devices []*published.Device) map[string][]*published.Device {
	perNode := map[string][]*published.Device{}
	for _, node := range published.Nodes(devices) {
		perNode[node] = nil
	}
	for _, d := range c.free(devices) {
		for _, node := range d.Nodes {
			perNode[node] = append(perNode[node], d)
		}
	}
	return perNode
}

// free returns devices that can all be allocated now.
func (c *checker) free(devices []*published.Device) []*published.Device {
	var free []*published.Device
	for _, d := range devices {
		if len(d.ConsumesCounters) == 0 && c.holders.why(d) == "" {
			free = append(free, d)
		}
	}
	set := sets.New(devices...)
	for _, parent := range c.driver.Parents(c.driver.Devices) {
		taken := c.holders.held(parent.Devices)
		for _, d := range parent.Of(set) {
			if c.holders.why(d) == "" && parent.Fit(append(slices.Clone(taken), d)) {
				taken = append(taken, d)
				free = append(free, d)
			}
		}
	}
	return free
}

func total(free map[string][]*published.Device) int {
	n := 0
	for _, devices := range free {
		n += len(devices)
	}
	return n
}

// whyNot states why devices are not free.
func (c *checker) whyNot(devices []*published.Device) string {
	var reasons []string
	for _, d := range devices {
		if why := c.holders.why(d); why != "" {
			reasons = append(reasons, why)
		}
	}
	if len(reasons) == 0 {
		return "allocated devices consume their counters"
	}
	return some(reasons)
}

// maxListed is how many of several things a message lists.
const maxListed = 3

// some lists the first of several things.
func some(all []string) string {
	if len(all) <= maxListed {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:maxListed], ", "), len(all)-maxListed)
}
