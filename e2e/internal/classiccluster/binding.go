// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"slices"
	"strings"
)

// release asks for the deallocation of a claim that keeps a pod from running.
func (c *Cluster) release(pod object, all []podClaim) {
	m := c.mistakes.Scheduler
	for _, p := range all {
		status := at(p.claim, "status")
		users := list(p.claim, "status", "reservedFor")
		used := len(users) > 1 || len(users) == 1 && text(users[0].(object), "uid") != text(pod, "metadata", "uid")
		if at(status, "allocation") == nil || used && !m.TakesUsed || m.KeepsAllocations || isImmediate(p.claim) && !m.FreesImmediate {
			continue
		}
		if asked := c.objects[c.contextPath(pod)]; asked != nil && !m.KeepsSelection {
			delete(at(asked, "spec"), "selectedNode")
		}
		delete(status, "reservedFor")
		status["deallocationRequested"] = true
		if !m.FreesAll {
			return
		}
	}
}

// bind reserves the claims of a pod and binds it.
func (c *Cluster) bind(pod object, all []podClaim, node string) {
	m := c.mistakes.Scheduler
	for _, p := range all {
		if text(p.claim, "spec", "controller") == "" && at(p.claim, "status", "allocation") == nil {
			c.allocateStructured(p.path, p.claim, node)
		}
		if at(p.claim, "status", "allocation") == nil {
			continue // The scheduler does not wait for its driver.
		}
		if why := c.reserve(pod, p.claim); why != "" && !m.BindsUnreserved {
			c.fail(pod, "SchedulerError", why)
			c.lost[podPath(pod)] = m.GivesUp
			return
		}
	}
	at(pod, "spec")["nodeName"] = node
	if !m.KeepsContexts {
		delete(c.objects, c.contextPath(pod))
	}
}

// fail reports why a pod is not scheduled.
func (c *Cluster) fail(pod object, reason, message string) {
	setStatus(pod, object{"conditions": []any{object{"type": "PodScheduled", "status": "False", "reason": reason, "message": message}}})
}

// reserve reserves a claim for a pod, and returns why that is not possible.
func (c *Cluster) reserve(pod, claim object) string {
	m := c.mistakes.Scheduler
	if isUser(pod, claim) {
		return ""
	}
	if m.OneUser && len(list(claim, "status", "reservedFor")) > 0 {
		return "the claim has a user"
	}
	return c.addUser(pod, claim)
}

// isUser reports whether a claim is reserved for a pod.
func isUser(pod, claim object) bool {
	return slices.ContainsFunc(list(claim, "status", "reservedFor"), func(user any) bool {
		return text(user.(object), "uid") == text(pod, "metadata", "uid")
	})
}

// addUser reserves a claim for a pod, and returns why the API server rejects that.
func (c *Cluster) addUser(pod, claim object) string {
	if isBusy(claim) && !c.admits(ReservedTwice) {
		return ReservedTwice
	}
	users := list(claim, "status", "reservedFor")
	if len(users) >= 32 && !c.admits(TooManyUsers) {
		return TooManyUsers
	}
	at(claim, "status")["reservedFor"] = append(users, object{"resource": "pods", "name": text(pod, "metadata", "name"), "uid": text(pod, "metadata", "uid")})
	return ""
}

// podOf returns the pod of a consumer, or nil if it does not exist.
func (c *Cluster) podOf(claimPath string, user object) object {
	pod := c.podNamed(claimPath, text(user, "name"))
	if text(pod, "metadata", "uid") != text(user, "uid") {
		return nil
	}
	return pod
}

// podNamed returns the pod of a name in the namespace of a claim.
func (c *Cluster) podNamed(claimPath, name string) object {
	namespace, _, _ := strings.Cut(strings.TrimPrefix(claimPath, resources+"/namespaces/"), "/")
	return c.objects[coreObjects+"/namespaces/"+namespace+"/pods/"+name]
}
