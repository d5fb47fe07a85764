// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import "slices"

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
}

// manage lets the controller manager act.
func (c *Cluster) manage() {
	for _, path := range c.all("resourceclaims") {
		c.releaseClaim(path)
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
		if text(claim, "spec", "controller") != "" && !m.KeepsUnused {
			status["deallocationRequested"] = true
		}
	}
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
			if !m.LeavesUnreserved {
				c.reserve(pod, p.claim)
			}
			continue
		}
		path := c.contextPath(pod)
		if c.objects[path] == nil && text(p.claim, "spec", "controller") != "" {
			c.objects[path] = object{
				"metadata": object{"name": text(pod, "metadata", "name"), "namespace": text(pod, "metadata", "namespace")},
				"spec":     object{"selectedNode": text(pod, "spec", "nodeName")},
			}
		}
	}
}
