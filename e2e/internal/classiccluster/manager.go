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
}

// manage lets the controller manager act.
func (c *Cluster) manage() {
	for _, path := range c.all("resourceclaims") {
		c.releaseClaim(path)
		c.collect(path)
	}
	for _, path := range c.all("pods") {
		c.generateClaims(c.objects[path])
	}
	for _, path := range c.all("pods") {
		if pod := c.objects[path]; text(pod, "spec", "nodeName") != "" {
			c.serveBound(pod)
		}
	}
}

// releaseClaim removes the reservations of pods that no longer exist, and asks for the
// deallocation of a claim whose last user is gone.
func (c *Cluster) releaseClaim(path string) {
	m, claim := c.mistakes.Manager, c.objects[path]
	users := list(claim, "status", "reservedFor")
	left := slices.DeleteFunc(slices.Clone(users), func(user any) bool { return c.podOf(path, user.(object)) == nil })
	if len(left) == len(users) || m.KeepsUsers {
		return
	}
	status := at(claim, "status")
	status["reservedFor"] = left
	if len(left) == 0 {
		delete(status, "reservedFor")
		if text(claim, "spec", "controller") != "" && !m.KeepsUnused && (m.FreesImmediate || !isImmediate(claim)) {
			status["deallocationRequested"] = true
		}
	}
}

// generateClaims creates the claims of a pod that have templates.
func (c *Cluster) generateClaims(pod object) {
	for _, entry := range list(pod, "spec", "resourceClaims") {
		template := text(entry.(object), "resourceClaimTemplateName")
		if template == "" || len(list(pod, "status", "resourceClaimStatuses")) > 0 {
			continue
		}
		namespace, inPod, name := text(pod, "metadata", "namespace"), text(entry.(object), "name"), text(pod, "metadata", "name")+"-generated"
		base := resources + "/namespaces/" + namespace
		c.changes++
		c.objects[base+"/resourceclaims/"+name] = object{
			"metadata": object{"name": name, "namespace": namespace, "uid": fmt.Sprintf("uid-%d", c.changes), "ownerReferences": ownedBy(pod)},
			"spec":     clone(at(c.objects[base+"/resourceclaimtemplates/"+template], "spec", "spec")),
		}
		setStatus(pod, object{"resourceClaimStatuses": []any{object{"name": inPod, "resourceClaimName": name}}})
	}
}

// setStatus changes fields of the status of an object.
func setStatus(o, fields object) { o["status"] = merge(at(o, "status"), fields) }

// collect deletes a claim whose pod is gone.
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
	for _, p := range all {
		if at(p.claim, "status", "allocation") != nil {
			if !m.LeavesUnreserved && !isUser(pod, p.claim) {
				c.addUser(pod, p.claim)
			}
			continue
		}
		path := c.contextPath(pod)
		if c.objects[path] == nil && text(p.claim, "spec", "controller") != "" {
			c.objects[path] = object{
				"metadata": object{
					"name": text(pod, "metadata", "name"), "namespace": text(pod, "metadata", "namespace"), "ownerReferences": ownedBy(pod),
				},
				"spec": object{"selectedNode": text(pod, "spec", "nodeName")},
			}
		}
	}
}
