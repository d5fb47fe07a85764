// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// answer writes which nodes are unsuitable for claims of a pod, and returns them. done is the
// number of its claims that are allocated.
func (c *Cluster) answer(asked object, own []podClaim, done int) map[string]bool {
	m := c.mistakes.Driver
	needed := 0
	for _, p := range own {
		needed += len(c.requestsOf(p.claim))
	}
	if m.CountsAllocated {
		needed += done
	}
	unsuitable, excluded := []any{}, map[string]bool{}
	nodes := append(slices.Clone(list(asked, "spec", "potentialNodes")), at(asked, "spec")["selectedNode"])
	for _, node := range nodes {
		name, _ := node.(string)
		if name != "" && !excluded[name] && (len(c.free(name, own)) < needed || !c.allAllow(own, name)) {
			excluded[name] = true
			unsuitable = append(unsuitable, name)
		}
	}
	before := list(asked, "status", "resourceClaims")
	if m.OnlyFrees && len(before) > 0 && len(list(asked, "spec", "potentialNodes")) == c.driver.asked[text(asked, "metadata", "name")] {
		unsuitable = slices.DeleteFunc(unsuitable, func(node any) bool { return !slices.Contains(list(before[0].(object), "unsuitableNodes"), node) })
	}
	c.driver.asked[text(asked, "metadata", "name")] = len(list(asked, "spec", "potentialNodes"))
	var answers []any
	for _, p := range own {
		answers = append(answers, object{"name": p.inPod, "unsuitableNodes": unsuitable})
	}
	switch {
	case m.AnswersNothing:
		answers = nil
	case m.AnswersFirst:
		answers = answers[:1]
	}
	if len(before) == 0 || !m.AnswersOnce {
		asked["status"] = object{"resourceClaims": append(c.answersOfOthers(before, own), answers...)}
	}
	return excluded
}

// answersOfOthers returns those of answers that are about other claims.
func (c *Cluster) answersOfOthers(answers []any, own []podClaim) []any {
	if c.mistakes.Driver.DropsOthers {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(answers), func(answer any) bool {
		return slices.ContainsFunc(own, func(p podClaim) bool { return p.inPod == text(answer.(object), "name") })
	})
}

// allAllow reports whether the parameters of all claims allow a node.
func (c *Cluster) allAllow(own []podClaim, node string) bool {
	return !slices.ContainsFunc(own, func(p podClaim) bool { return !c.allows(p.claim, node) })
}

// free returns the devices of a node that other claims do not hold. Those that the claims
// hold are the first.
func (c *Cluster) free(node string, own []podClaim) []string {
	var kept, others []string
	d, m := c.driver, c.mistakes.Driver
	if !matches(c.objects[coreObjects+"/nodes/"+node], d.nodes) {
		return nil
	}
	pool, count := node, d.devices
	if d.network > 0 {
		pool, count = network, d.network
	}
	for i := range count {
		device := fmt.Sprintf("%s/device-%d", pool, i)
		by := c.driver.held[device]
		switch {
		case slices.ContainsFunc(own, func(p podClaim) bool { return c.keyOf(p.claim) == by }):
			kept = append(kept, device)
		case by == "" || m.GivesTwice || d.hidden[device] || d.network > 0 && m.SplitsNetwork:
			others = append(others, device)
		}
	}
	if d.limit > 0 && !m.IgnoresLimit {
		others = others[:min(len(others), max(0, d.limit-len(d.held)))]
	}
	return append(kept, others...)
}

// network is the pool of devices that several nodes can use.
const network = "network"

// requestsOf returns the names of the requests of a claim. A claim of 1.30 has one without a
// name.
func (c *Cluster) requestsOf(claim object) []string {
	var names []string
	for _, request := range list(claim, "spec", "devices", "requests") {
		names = append(names, cmp.Or(text(request.(object), "name"), "device"))
	}
	if c.mistakes.Driver.GivesOne {
		names = names[:1]
	}
	return names
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
	var given [][]string
	for _, p := range own {
		count := len(c.requestsOf(p.claim))
		given, free = append(given, free[:count]), free[count:]
		c.hold(p.claim, given[len(given)-1])
	}
	if fault.Action == operations.Lose {
		return fault.Message
	}
	for i, p := range own {
		c.write(pod, p, given[i], node)
	}
	return ""
}

// hold records that a claim has devices.
func (c *Cluster) hold(claim object, devices []string) {
	for _, device := range devices {
		c.driver.held[device] = c.keyOf(claim)
	}
}

// write writes the allocation of a claim for a node.
func (c *Cluster) write(pod object, p podClaim, devices []string, node string) {
	c.protect(p.claim)
	if at(p.claim, "status") == nil {
		p.claim["status"] = object{}
	}
	controller := c.driver.name
	if c.mistakes.Driver.Anonymous {
		controller = ""
	}
	var results []any
	for i, request := range c.requestsOf(p.claim) {
		pool, name, _ := strings.Cut(devices[i], "/")
		results = append(results, object{"request": request, "driver": c.driver.name, "pool": pool, "device": name})
	}
	allocation := object{"controller": controller, "devices": object{"results": results}}
	if !c.mistakes.Driver.IsAnywhere {
		allocation["nodeSelector"] = c.reach(node)
	}
	at(p.claim, "status")["allocation"] = allocation
	c.addEarlierFields(p.claim, devices[0])
	if pod != nil && !c.mistakes.Driver.NeverReserves {
		c.addUser(pod, p.claim)
	}
}

// reach returns the nodes that can use devices that are given for a node.
func (c *Cluster) reach(node string) object {
	if c.driver.network > 0 && !c.mistakes.Driver.ConfinesNetwork {
		return nodesWith(c.driver.nodes)
	}
	return nodesWith(object{"kubernetes.io/hostname": node})
}

// nodesWith returns a node selector for labels.
func nodesWith(labels object) object {
	var expressions []any
	for key, value := range labels {
		expressions = append(expressions, object{"key": key, "operator": "In", "values": []any{value}})
	}
	return object{"nodeSelectorTerms": []any{object{"matchExpressions": expressions}}}
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
