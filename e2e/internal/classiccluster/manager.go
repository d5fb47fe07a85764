// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"fmt"
	"slices"
)

// ManagerMistakes are faults of the controller manager.
type ManagerMistakes struct {
	// KeepsUsers makes it keep the reservations of pods that no longer exist.
	KeepsUsers bool
	// KeepsUnused makes it keep allocations of claims without users.
	KeepsUnused bool
	// IgnoresBound makes it ignore pods that are bound without a scheduler.
	IgnoresBound bool
	// LeavesUnreserved makes it not reserve claims for such pods.
	LeavesUnreserved bool
	// FreesImmediate makes it ask for the deallocation of unused claims that were
	// allocated immediately.
	FreesImmediate bool
	// KeepsGenerated makes the garbage collector keep the claims of deleted pods.
	KeepsGenerated bool
	// KeepsContexts makes the garbage collector keep the contexts of deleted pods.
	KeepsContexts bool
	// IgnoresCompleted makes it keep the reservations of pods that have ended.
	IgnoresCompleted bool
	// IgnoresUnbound makes it keep the reservations of pods that were never bound.
	IgnoresUnbound bool
	// FreesTerminating makes it remove the reservations of pods that are being deleted.
	FreesTerminating bool
	// KeepsOutOfService makes it keep deleted pods on nodes that are out of service.
	KeepsOutOfService bool
	// GeneratesOne makes it generate the first claim of a pod only.
	GeneratesOne bool
	// FirstClaim makes it serve the first claim of a bound pod only.
	FirstClaim bool
	// Orphans makes it create contexts for bound pods without an owner.
	Orphans bool
	// ComparesNames makes it take a pod for another one of the same name.
	ComparesNames bool
	// KeepsSelection makes it leave the contexts of bound pods alone.
	KeepsSelection bool
}

// manage lets the controller manager act.
func (c *Cluster) manage() {
	for _, path := range c.all("resourceclaims") {
		c.releaseClaim(path)
		c.collect(path)
	}
	for _, path := range c.all("podschedulingcontexts") {
		if !c.mistakes.Manager.KeepsContexts {
			c.collect(path)
		}
	}
	for _, path := range c.all("pods") {
		c.generateClaims(c.objects[path])
	}
	for _, path := range c.all("pods") {
		if c.isOutOfService(text(c.objects[path], "spec", "nodeName")) && !c.mistakes.Manager.KeepsOutOfService {
			c.removeIfDone(path)
		}
	}
	for _, path := range c.all("pods") {
		if pod := c.objects[path]; text(pod, "spec", "nodeName") != "" && !isDone(pod) {
			c.serveBound(pod)
		}
	}
}

// releaseClaim removes the reservations of pods that no longer exist, and asks for the
// deallocation of a claim whose last user is gone.
func (c *Cluster) releaseClaim(path string) {
	m, claim := c.mistakes.Manager, c.objects[path]
	users := list(claim, "status", "reservedFor")
	left := slices.DeleteFunc(slices.Clone(users), func(user any) bool { return c.hasEnded(path, user.(object)) })
	if len(left) == len(users) || m.KeepsUsers {
		return
	}
	status := at(claim, "status")
	status["reservedFor"] = left
	if len(left) == 0 {
		delete(status, "reservedFor")
		c.freeStructured(path, claim)
		if text(claim, "spec", "controller") != "" && !m.KeepsUnused && (m.FreesImmediate || !isImmediate(claim)) {
			status["deallocationRequested"] = true
		}
	}
}

// hasEnded reports whether a user of a claim does not need it any more.
func (c *Cluster) hasEnded(claim string, user object) bool {
	m, uid := c.mistakes.Manager, text(user, "uid")
	pod := c.podOf(claim, user)
	if m.ComparesNames {
		pod = c.podNamed(claim, text(user, "name"))
	}
	if pod == nil {
		return !m.IgnoresUnbound || c.bound[uid]
	}
	if text(pod, "spec", "nodeName") != "" {
		c.bound[uid] = true
	}
	return isDone(pod) && !m.IgnoresCompleted || m.FreesTerminating && at(pod, "metadata")["deletionTimestamp"] != nil
}

// isDone reports whether the containers of a pod have ended.
func isDone(pod object) bool {
	return slices.Contains([]string{"Succeeded", "Failed"}, text(pod, "status", "phase"))
}

// generateClaims creates the claims of a pod that have templates.
func (c *Cluster) generateClaims(pod object) {
	var generated []any
	for _, entry := range list(pod, "spec", "resourceClaims") {
		template := text(entry.(object), "resourceClaimTemplateName")
		if template == "" || len(list(pod, "status", "resourceClaimStatuses")) > 0 || len(generated) > 0 && c.mistakes.Manager.GeneratesOne {
			continue
		}
		inPod := text(entry.(object), "name")
		namespace, name := text(pod, "metadata", "namespace"), text(pod, "metadata", "name")+"-"+inPod+"-x"
		base := resources + "/namespaces/" + namespace
		c.changes++
		c.objects[base+"/resourceclaims/"+name] = object{
			"metadata": object{"name": name, "namespace": namespace, "uid": fmt.Sprintf("uid-%d", c.changes), "ownerReferences": ownedBy(pod)},
			"spec":     clone(at(c.objects[base+"/resourceclaimtemplates/"+template], "spec", "spec")),
		}
		generated = append(generated, object{"name": inPod, "resourceClaimName": name})
	}
	if len(generated) > 0 {
		setStatus(pod, object{"resourceClaimStatuses": generated})
	}
}

// isOutOfService reports whether a node was shut down, so that nothing ends its pods.
func (c *Cluster) isOutOfService(node string) bool {
	return slices.ContainsFunc(list(c.objects[coreObjects+"/nodes/"+node], "spec", "taints"), func(taint any) bool {
		return text(taint.(object), "key") == "node.kubernetes.io/out-of-service"
	})
}

// setStatus changes fields of the status of an object.
func setStatus(o, fields object) { o["status"] = merge(at(o, "status"), fields) }

// collect deletes an object whose pod is gone.
func (c *Cluster) collect(path string) {
	owners := list(c.objects[path], "metadata", "ownerReferences")
	if len(owners) == 0 || c.mistakes.Manager.KeepsGenerated || c.podOf(path, owners[0].(object)) != nil {
		return
	}
	at(c.objects[path], "metadata")["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	c.removeIfDone(path)
}

// serveBound gets the claims of a pod allocated and reserved that was bound without a
// scheduler.
func (c *Cluster) serveBound(pod object) {
	m := c.mistakes.Manager
	all, found := c.claimsOf(pod)
	if !found || m.IgnoresBound {
		return
	}
	if m.FirstClaim {
		all = all[:min(1, len(all))]
	}
	for _, p := range all {
		if at(p.claim, "status", "allocation") != nil {
			leaving := at(p.claim, "status")["deallocationRequested"] == true
			if !m.LeavesUnreserved && !leaving && !isUser(pod, p.claim) {
				c.addUser(pod, p.claim)
			}
			continue
		}
		path := c.contextPath(pod)
		if asked := c.objects[path]; asked != nil && !m.KeepsSelection {
			at(asked, "spec")["selectedNode"] = text(pod, "spec", "nodeName")
		}
		if c.objects[path] == nil && text(p.claim, "spec", "controller") != "" {
			metadata := object{"name": text(pod, "metadata", "name"), "namespace": text(pod, "metadata", "namespace")}
			if !m.Orphans {
				metadata["ownerReferences"] = ownedBy(pod)
			}
			c.objects[path] = object{"metadata": metadata, "spec": object{"selectedNode": text(pod, "spec", "nodeName")}}
		}
	}
}
