// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"fmt"
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
	// ServesAll makes it allocate the claims of all drivers.
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
	return controller == c.driver.name || c.mistakes.Driver.ServesAll && controller != ""
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

// answer writes which nodes are unsuitable, and returns them.
func (c *Cluster) answer(asked object, own []podClaim) map[string]bool {
	unsuitable, excluded := []any{}, map[string]bool{}
	for _, node := range append(list(asked, "spec", "potentialNodes"), at(asked, "spec")["selectedNode"]) {
		name, _ := node.(string)
		if name != "" && !excluded[name] && len(c.free(name, own)) < len(own) {
			excluded[name] = true
			unsuitable = append(unsuitable, name)
		}
	}
	var answers []any
	for _, p := range own {
		answers = append(answers, object{"name": p.inPod, "unsuitableNodes": unsuitable})
	}
	switch {
	case c.mistakes.Driver.AnswersNothing:
		answers = nil
	case c.mistakes.Driver.AnswersFirst:
		answers = answers[:1]
	}
	if len(list(asked, "status", "resourceClaims")) == 0 || !c.mistakes.Driver.AnswersOnce {
		asked["status"] = object{"resourceClaims": answers}
	}
	return excluded
}

// free returns the devices of a node that other claims do not hold. Those that the claims
// hold are the first.
func (c *Cluster) free(node string, own []podClaim) []string {
	var kept, others []string
	if !matches(c.objects[coreObjects+"/nodes/"+node], c.driver.nodes) {
		return nil
	}
	for i := range c.driver.devices {
		device := fmt.Sprintf("%s/device-%d", node, i)
		by := c.driver.held[device]
		switch {
		case slices.ContainsFunc(own, func(p podClaim) bool { return text(p.claim, "metadata", "uid") == by }):
			kept = append(kept, device)
		case by == "" || c.mistakes.Driver.GivesTwice || c.driver.hidden[device]:
			others = append(others, device)
		}
	}
	return append(kept, others...)
}

// allocate allocates claims of a pod for a node, and returns why that has failed.
func (c *Cluster) allocate(pod object, own []podClaim, node string) string {
	d, fault := c.driver, c.nextFault(operations.Allocate)
	if fault.Action == operations.Fail {
		return fault.Message
	}
	if d.hung = fault.Action == operations.Hang; d.hung {
		return ""
	}
	free := c.free(node, own)
	for i, p := range own {
		d.held[free[i]] = text(p.claim, "metadata", "uid")
	}
	if fault.Action == operations.Lose {
		return fault.Message
	}
	for i, p := range own {
		c.write(pod, p, free[i])
	}
	return ""
}

// write writes the allocation of a claim.
func (c *Cluster) write(pod object, p podClaim, device string) {
	pool, name, _ := strings.Cut(device, "/")
	at(p.claim, "metadata")["finalizers"] = []any{c.driver.name + "/deletion-protection"}
	if at(p.claim, "status") == nil {
		p.claim["status"] = object{}
	}
	controller := c.driver.name
	if c.mistakes.Driver.Anonymous {
		controller = ""
	}
	at(p.claim, "status")["allocation"] = object{
		"controller": controller,
		"devices":    object{"results": []any{object{"request": "device", "driver": c.driver.name, "pool": pool, "device": name}}},
		"nodeSelector": object{"nodeSelectorTerms": []any{object{"matchExpressions": []any{
			object{"key": "kubernetes.io/hostname", "operator": "In", "values": []any{pool}},
		}}}},
	}
	c.addEarlierFields(p.claim, device)
	if pod != nil && !c.mistakes.Driver.NeverReserves {
		c.addUser(pod, p.claim)
	}
}

// poolOf returns the first device of an allocation as pool/name.
func poolOf(allocation object) string {
	for _, result := range list(allocation, "devices", "results") {
		return text(result.(object), "pool") + "/" + text(result.(object), "device")
	}
	return ""
}

// nextFault logs a call, and returns its fault.
func (c *Cluster) nextFault(method string) operations.Fault {
	d := c.driver
	var fault operations.Fault
	if i := slices.IndexFunc(d.faults, func(f operations.Fault) bool { return f.Method == method }); i >= 0 {
		fault = d.faults[i]
		if d.faults[i].Count--; d.faults[i].Count == 0 {
			d.faults = slices.Delete(d.faults, i, i+1)
		}
	}
	d.calls = append(d.calls, operations.Call{Method: method, Fault: fault.Action})
	return fault
}

// report creates an event about an object.
func (c *Cluster) report(about object, kind, reason, message string) {
	c.changes++
	namespace, name := text(about, "metadata", "namespace"), fmt.Sprintf("event-%d", c.changes)
	c.objects[coreObjects+"/namespaces/"+namespace+"/events/"+name] = object{
		"metadata": object{"name": name, "namespace": namespace}, "reason": reason, "message": message, "type": "Warning",
		"involvedObject": object{"kind": kind, "name": text(about, "metadata", "name"), "uid": text(about, "metadata", "uid")},
	}
}
