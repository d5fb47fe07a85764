// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// answer writes which nodes are unsuitable for claims of a pod, and returns them. done is the
// number of its claims that are allocated.
func (c *Cluster) answer(asked object, own []podClaim, done int) map[string]bool {
	m := c.mistakes.Driver
	needed := len(own)
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
	if !matches(c.objects[coreObjects+"/nodes/"+node], c.driver.nodes) {
		return nil
	}
	for i := range c.driver.devices {
		device := fmt.Sprintf("%s/device-%d", node, i)
		by := c.driver.held[device]
		switch {
		case slices.ContainsFunc(own, func(p podClaim) bool { return c.keyOf(p.claim) == by }):
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
		d.held[free[i]] = c.keyOf(p.claim)
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
	c.protect(p.claim)
	if at(p.claim, "status") == nil {
		p.claim["status"] = object{}
	}
	controller := c.driver.name
	if c.mistakes.Driver.Anonymous {
		controller = ""
	}
	allocation := object{
		"controller": controller,
		"devices":    object{"results": []any{object{"request": "device", "driver": c.driver.name, "pool": pool, "device": name}}},
	}
	if !c.mistakes.Driver.IsAnywhere {
		allocation["nodeSelector"] = object{"nodeSelectorTerms": []any{object{"matchExpressions": []any{
			object{"key": "kubernetes.io/hostname", "operator": "In", "values": []any{pool}},
		}}}}
	}
	at(p.claim, "status")["allocation"] = allocation
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
