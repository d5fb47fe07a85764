// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// DriverMistakes are faults of the driver's controller.
type DriverMistakes struct {
	// GivesTwice makes it ignore which devices are in use.
	GivesTwice bool
	// KeepsDevices makes it keep the devices of claims that it deallocates.
	KeepsDevices bool
	// KeepsOrphans makes it keep the devices of claims that no longer exist.
	KeepsOrphans bool
	// AnswersFirst makes it answer about the first claim of a pod only.
	AnswersFirst bool
	// AnswersNothing makes it never answer.
	AnswersNothing bool
	// NeverReserves makes it allocate claims without reserving them.
	NeverReserves bool
	// TrustsAll makes it ignore who owns a PodSchedulingContext.
	TrustsAll bool
	// Follows makes it reallocate claims if another node is selected.
	Follows bool
	// GivesUp makes it never try again what has failed.
	GivesUp bool
	// Silent makes it report no failures.
	Silent bool
	// Leaks makes the next process not know which claim had a device before it had
	// its allocation.
	Leaks bool
	// LooksAhead makes it handle only what happens while it runs.
	LooksAhead bool
	// Splits makes a second instance not know what the first one has given.
	Splits bool
	// KeepsUnused makes it deallocate deleted claims only.
	KeepsUnused bool
	// AnswersOnce makes it never change an answer.
	AnswersOnce bool
	// Hastens makes it allocate claims before a node is selected.
	Hastens bool
	// Anonymous makes it write allocations without its name.
	Anonymous bool
	// WaitsForPods makes it allocate no claims without a pod.
	WaitsForPods bool
	// IgnoresModes makes it allocate all claims without a pod.
	IgnoresModes bool
	// Forgets makes it forget at a restart which claims have devices.
	Forgets bool
	// FreesUsed makes it free the devices of deleted claims that pods use.
	FreesUsed bool
	// IgnoresParameters makes it ignore the parameters of classes.
	IgnoresParameters bool
	// IgnoresSelection makes it allocate claims for the first node, whichever is selected.
	IgnoresSelection bool
	// ServesAll makes it allocate the claims of all drivers, if a spec has started it.
	ServesAll bool
	// StandsBy makes no other instance take over, nor the next process.
	StandsBy bool
}

// driverName is the name of the driver that is installed.
const driverName = "classic.example.com"

// devicesPerNode is the number of the devices of that driver on each node.
const devicesPerNode = 2

// unknown stands for a claim that the driver does not know any more.
const unknown = "unknown"

// driver is a driver under test.
type driver struct {
	name string
	// devices is the number of devices of each node with the labels nodes.
	devices   int
	nodes     object
	instances int
	// process numbers the processes. Each instance has one.
	process int
	// held are the UIDs of the claims that hold devices, by pool/name.
	held map[string]string
	// hidden are the devices that a former process has given.
	hidden map[string]bool
	// absent are the paths of claims and contexts that exist since before the process.
	absent map[string]bool
	failed map[string]bool
	faults []operations.Fault
	calls  []operations.Call
	// hung is set while a call waits.
	hung bool
}

// newDriver returns a driver that runs.
func newDriver(name string, devices int) *driver {
	return &driver{
		name: name, devices: devices, instances: 1, held: map[string]string{}, hidden: map[string]bool{},
		absent: map[string]bool{}, failed: map[string]bool{},
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
	for _, path := range c.all("resourceclaims") {
		if claim := c.objects[path]; c.isOfDriver(claim) && !d.absent[path] {
			c.deallocate(path, claim)
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
	return controller == c.driver.name || c.mistakes.Driver.ServesAll && c.driver == c.started && controller != ""
}

// dropOrphans frees the devices of claims that no longer exist.
func (c *Cluster) dropOrphans() {
	exist := map[string]bool{}
	for _, path := range c.all("resourceclaims") {
		deleted := at(c.objects[path], "metadata")["deletionTimestamp"] != nil
		exist[text(c.objects[path], "metadata", "uid")] = !deleted || !c.mistakes.Driver.FreesUsed
	}
	maps.DeleteFunc(c.driver.held, func(_ string, claim string) bool { return !exist[claim] && claim != unknown })
}

// deallocate deallocates a claim if that is due.
func (c *Cluster) deallocate(path string, claim object) {
	status, metadata := at(claim, "status"), at(claim, "metadata")
	due := status["deallocationRequested"] == true && !c.mistakes.Driver.KeepsUnused || metadata["deletionTimestamp"] != nil
	if !due || len(list(claim, "status", "reservedFor")) > 0 {
		return
	}
	if !c.mistakes.Driver.KeepsDevices {
		maps.DeleteFunc(c.driver.held, func(_ string, of string) bool { return of == metadata["uid"] })
	}
	delete(status, "allocation")
	delete(status, "deallocationRequested")
	delete(metadata, "finalizers")
	c.removeIfDone(path)
}

// podAsking returns the pod of a context that a driver must handle, or nil.
func (c *Cluster) podAsking(path string) object {
	asked := c.objects[path]
	pod := c.objects[coreObjects+"/namespaces/"+text(asked, "metadata", "namespace")+"/pods/"+text(asked, "metadata", "name")]
	for _, owner := range list(asked, "metadata", "ownerReferences") {
		if text(owner.(object), "uid") == text(pod, "metadata", "uid") {
			return pod
		}
	}
	if c.mistakes.Driver.TrustsAll {
		return pod
	}
	return nil
}

// respond answers about a pod, and allocates its claims if a node is selected.
func (c *Cluster) respond(pod, asked object) {
	m, d := c.mistakes.Driver, c.driver
	var own []podClaim
	all, _ := c.claimsOf(pod)
	selected := text(asked, "spec", "selectedNode")
	if nodes := list(asked, "spec", "potentialNodes"); m.Hastens && selected == "" && len(nodes) > 0 {
		selected, _ = nodes[0].(string)
	}
	if nodes := c.all("nodes"); m.IgnoresSelection && selected != "" {
		selected = kindOf(nodes[slices.IndexFunc(nodes, func(path string) bool { return matches(c.objects[path], d.nodes) })])
	}
	for _, p := range all {
		if !c.isOfDriver(p.claim) || d.absent[p.path] {
			continue
		}
		if allocation := at(p.claim, "status", "allocation"); allocation != nil && m.Follows && !strings.HasPrefix(poolOf(allocation), selected+"/") {
			delete(at(p.claim, "status"), "allocation")
		}
		if at(p.claim, "status", "allocation") == nil {
			own = append(own, p)
		}
	}
	if len(own) == 0 {
		return
	}
	excluded := c.answer(asked, own)
	if selected == "" || excluded[selected] || m.GivesUp && d.failed[own[0].path] {
		return
	}
	if why := c.allocate(pod, own, selected); why != "" {
		d.failed[own[0].path] = true
		if !m.Silent {
			c.report(asked, "PodSchedulingContext", "Failed", why)
		}
	}
}
