// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// driverName is the name of the driver that is installed.
const driverName = "classic.example.com"

// devicesPerNode is the number of the devices of that driver on each node.
const devicesPerNode = 2

// unknown stands for a claim that the driver does not know any more.
const unknown = "unknown"

// driver is a driver under test.
type driver struct {
	name string
	// devices is the number of devices of each node with the labels nodes, and network that of
	// devices that all of these nodes can use. At most limit of them can be in use, if it is
	// set.
	devices, network, limit int
	nodes                   object
	instances               int
	// process numbers the processes. Each instance has one.
	process int
	// held are the keys of the claims that hold devices, by pool/name.
	held map[string]string
	// hidden are the devices that a former process has given.
	hidden map[string]bool
	// absent are the paths of claims and contexts that exist since before the process.
	absent map[string]bool
	failed map[string]bool
	// asked is the number of potential nodes in the last answer about each pod.
	asked  map[string]int
	faults []operations.Fault
	calls  []operations.Call
	// hung is set while a call waits.
	hung bool
}

// newDriver returns a driver that runs.
func newDriver(name string, devices int) *driver {
	return &driver{
		name: name, devices: devices, instances: 1, held: map[string]string{}, hidden: map[string]bool{},
		absent: map[string]bool{}, failed: map[string]bool{}, asked: map[string]int{},
	}
}

// drive lets the drivers act.
func (c *Cluster) drive() {
	for _, d := range []*driver{c.installed, c.started} {
		if d != nil && d.instances > 0 && d.process >= 0 {
			c.driver = d
			c.driveOne()
		}
	}
}

// driveOne lets a driver act.
func (c *Cluster) driveOne() {
	m, d := c.mistakes.Driver, c.driver
	if !m.KeepsOrphans {
		c.dropOrphans()
	}
	asked := m.FreesAll && c.isAsked()
	for _, path := range c.all("resourceclaims") {
		if claim := c.objects[path]; c.isOfDriver(claim) && !d.absent[path] {
			c.deallocate(path, claim, asked)
			c.allocateAtOnce(path, claim)
		}
	}
	for _, path := range c.all("podschedulingcontexts") {
		if pod := c.podAsking(path); pod != nil && !d.absent[path] && !d.hung {
			c.respond(pod, c.objects[path])
		}
	}
}

// isOfDriver reports whether the driver allocates a claim.
func (c *Cluster) isOfDriver(claim object) bool {
	controller := text(claim, "spec", "controller")
	serves := c.mistakes.Driver.ServesAll && (c.driver == c.started || c.started == nil)
	return controller == c.driver.name || serves && controller != ""
}

// keyOf returns what the driver stores of a claim that has a device.
func (c *Cluster) keyOf(claim object) string {
	if c.mistakes.Driver.ComparesNames {
		return text(claim, "metadata", "name")
	}
	return text(claim, "metadata", "uid")
}

// dropOrphans frees the devices of claims that no longer exist.
func (c *Cluster) dropOrphans() {
	exist := map[string]bool{}
	for _, path := range c.all("resourceclaims") {
		deleted := at(c.objects[path], "metadata")["deletionTimestamp"] != nil
		exist[c.keyOf(c.objects[path])] = !deleted || !c.mistakes.Driver.FreesUsed
	}
	maps.DeleteFunc(c.driver.held, func(_ string, claim string) bool { return !exist[claim] && claim != unknown })
}

// deallocate deallocates a claim if that is due, or in any case.
func (c *Cluster) deallocate(path string, claim object, always bool) {
	m, status, metadata := c.mistakes.Driver, at(claim, "status"), at(claim, "metadata")
	due := always || status["deallocationRequested"] == true && !m.KeepsUnused || metadata["deletionTimestamp"] != nil && !m.KeepsDeleted
	users := len(list(claim, "status", "reservedFor"))
	switch {
	case !due, users > 1 || users == 1 && !m.FreesShared && !m.FreesAll:
		return
	case m.KeepsFailed && status["allocation"] == nil, c.isInterrupted(claim):
		return
	}
	if !m.KeepsDevices {
		maps.DeleteFunc(c.driver.held, func(_ string, of string) bool { return of == c.keyOf(claim) || m.FreesDevices })
	}
	for _, field := range []string{"allocation", "deallocationRequested", "reservedFor"} {
		delete(status, field)
	}
	left := slices.DeleteFunc(list(claim, "metadata", "finalizers"), func(one any) bool { return one == c.finalizer() || m.RemovesFinalizers })
	metadata["finalizers"] = left
	c.removeIfDone(path)
}

// isInterrupted reports whether a deallocation does not end because of a fault. Without a
// response, the device is free nevertheless.
func (c *Cluster) isInterrupted(claim object) bool {
	d := c.driver
	if d.hung || at(claim, "status", "allocation") == nil {
		return d.hung
	}
	fault := c.nextFault(operations.Deallocate)
	d.hung = fault.Action == operations.Hang
	if fault.Action == operations.Lose {
		maps.DeleteFunc(d.held, func(_ string, of string) bool { return of == c.keyOf(claim) })
	}
	return fault.Action != ""
}

// isAsked reports whether any claim is to be deallocated.
func (c *Cluster) isAsked() bool {
	return slices.ContainsFunc(c.all("resourceclaims"), func(path string) bool {
		return at(c.objects[path], "status")["deallocationRequested"] == true
	})
}

// finalizer returns the finalizer of the driver.
func (c *Cluster) finalizer() string { return c.driver.name + "/deletion-protection" }

// protect adds the finalizer of the driver to a claim.
func (c *Cluster) protect(claim object) {
	finalizers := list(claim, "metadata", "finalizers")
	if !slices.Contains(finalizers, any(c.finalizer())) && !c.mistakes.Driver.NoFinalizer {
		at(claim, "metadata")["finalizers"] = append(finalizers, c.finalizer())
	}
}

// podAsking returns the pod of a context that a driver must handle, or nil.
func (c *Cluster) podAsking(path string) object {
	asked := c.objects[path]
	pod := c.objects[coreObjects+"/namespaces/"+text(asked, "metadata", "namespace")+"/pods/"+text(asked, "metadata", "name")]
	switch {
	case pod == nil, at(pod, "metadata")["deletionTimestamp"] != nil && !c.mistakes.Driver.ServesLeaving:
		return nil
	case isOwnedBy(asked, pod), c.mistakes.Driver.TrustsAll:
		return pod
	}
	return nil
}

// respond answers about a pod, and allocates its claims if a node is selected.
func (c *Cluster) respond(pod, asked object) {
	m, d := c.mistakes.Driver, c.driver
	selected := c.selectedFor(asked)
	own, done := c.ownClaims(pod, selected)
	if len(own) == 0 {
		return
	}
	excluded := c.answer(asked, own, done)
	if selected == "" || m.GivesUp && d.failed[own[0].path] {
		return
	}
	if excluded[selected] {
		c.failToAllocate(asked, own)
		return
	}
	if why := c.allocate(pod, own, selected); why != "" {
		d.failed[own[0].path] = true
		if !m.Silent {
			c.report(asked, "PodSchedulingContext", "Failed", why)
		}
	}
}

// failToAllocate does what the driver does for an unsuitable node that was selected without
// potential nodes.
func (c *Cluster) failToAllocate(asked object, own []podClaim) {
	for _, p := range own {
		if len(list(asked, "spec", "potentialNodes")) == 0 {
			c.protect(p.claim)
		}
	}
}

// selectedFor returns the node that the driver allocates claims for.
func (c *Cluster) selectedFor(asked object) string {
	m := c.mistakes.Driver
	selected := text(asked, "spec", "selectedNode")
	if nodes := list(asked, "spec", "potentialNodes"); m.Hastens && selected == "" && len(nodes) > 0 {
		selected, _ = nodes[0].(string)
	}
	if nodes := c.all("nodes"); m.IgnoresSelection && selected != "" {
		selected = kindOf(nodes[slices.IndexFunc(nodes, func(path string) bool { return matches(c.objects[path], c.driver.nodes) })])
	}
	return selected
}

// ownClaims returns the claims of a pod that the driver has to allocate, and the number of
// those that it has allocated.
func (c *Cluster) ownClaims(pod object, selected string) (own []podClaim, done int) {
	m := c.mistakes.Driver
	all, _ := c.claimsOf(pod)
	for _, p := range all {
		if !c.isOfDriver(p.claim) || c.driver.absent[p.path] || at(p.claim, "metadata")["deletionTimestamp"] != nil {
			continue
		}
		follows := m.Follows || m.FollowsOthers && !isUser(pod, p.claim)
		if allocation := at(p.claim, "status", "allocation"); allocation != nil && follows && !strings.HasPrefix(poolOf(allocation), selected+"/") {
			delete(at(p.claim, "status"), "allocation")
		}
		if at(p.claim, "status", "allocation") == nil {
			own = append(own, p)
		} else {
			done++
		}
	}
	return own, done
}
