// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"maps"
	"slices"
)

const (
	resources   = "/apis/resource.k8s.io/v1alpha3"
	coreObjects = "/api/v1"
)

// advance lets the components act.
func (c *Cluster) advance() {
	c.manage()
	c.drive()
	c.startPods()
	for _, path := range c.all("pods") {
		pod := c.objects[path]
		if text(pod, "spec", "schedulerName") != "" || c.lost[path] {
			continue // A spec plays its scheduler, or it is forgotten.
		}
		if text(pod, "spec", "nodeName") == "" && at(pod, "metadata")["deletionTimestamp"] == nil && !c.schedule(pod) && c.mistakes.Scheduler.Blocks {
			return
		}
	}
}

// all returns the paths of all objects of a resource.
func (c *Cluster) all(resource string) []string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(c.objects)) {
		if kindOf(parent(path)) == resource {
			paths = append(paths, path)
		}
	}
	return paths
}

// podClaim is a claim of a pod.
type podClaim struct {
	inPod, path string
	claim       object
}

// claimsOf returns the claims of a pod. It reports false if one does not exist.
func (c *Cluster) claimsOf(pod object) ([]podClaim, bool) {
	var all []podClaim
	for _, entry := range list(pod, "spec", "resourceClaims") {
		e := entry.(object)
		name := text(e, "resourceClaimName") + text(e, "source", "resourceClaimName")
		for _, generated := range list(pod, "status", "resourceClaimStatuses") {
			if name == "" && text(generated.(object), "name") == text(e, "name") {
				name = text(generated.(object), "resourceClaimName")
			}
		}
		path := resources + "/namespaces/" + text(pod, "metadata", "namespace") + "/resourceclaims/" + name
		claim, found := c.objects[path]
		if !found {
			return nil, false
		}
		all = append(all, podClaim{text(e, "name"), path, claim})
	}
	return all, true
}

func podPath(pod object) string {
	return coreObjects + "/namespaces/" + text(pod, "metadata", "namespace") + "/pods/" + text(pod, "metadata", "name")
}

func (c *Cluster) contextPath(pod object) string {
	return resources + "/namespaces/" + text(pod, "metadata", "namespace") + "/podschedulingcontexts/" + text(pod, "metadata", "name")
}

// scheduleWithoutClaims binds a pod as a scheduler does whose DRA is disabled: it does not
// look at claims. It reports that the pod waits for nothing.
func (c *Cluster) scheduleWithoutClaims(pod object) bool {
	if fitting, ok := c.fitting(pod, nil, nil); ok && len(fitting) > 0 {
		c.bind(pod, nil, fitting[0])
	}
	return true
}

// schedule tries to schedule a pod. It reports whether the pod waits for nothing.
func (c *Cluster) schedule(pod object) bool {
	if c.lacksDRA() {
		return c.scheduleWithoutClaims(pod)
	}
	all, found := c.claimsOf(pod)
	if c.mistakes.Scheduler.SkipsGenerated {
		all = slices.DeleteFunc(all, func(p podClaim) bool { return len(list(p.claim, "metadata", "ownerReferences")) > 0 })
	}
	if !found || c.mustWait(pod, all) {
		return true
	}
	var pending []podClaim
	for _, p := range all {
		// The scheduler allocates claims without a controller itself, when it binds.
		if at(p.claim, "status", "allocation") == nil && text(p.claim, "spec", "controller") != "" && !c.isSkipped(p.claim, all) {
			pending = append(pending, p)
		}
	}
	fitting, ok := c.fitting(pod, all, pending)
	if !ok {
		return true
	}
	if len(fitting) == 0 {
		c.fail(pod, "Unschedulable", "no node fits")
		c.release(pod, all)
		return true
	}
	if len(pending) == 0 || c.mistakes.Scheduler.BindsEarly && len(pending) < len(all) {
		c.bind(pod, all, fitting[0])
		return true
	}
	c.ask(pod, all, pending, fitting)
	return false
}

// mustWait reports whether a pod cannot be scheduled at the moment on any node.
func (c *Cluster) mustWait(pod object, all []podClaim) bool {
	m := c.mistakes.Scheduler
	if asked := c.objects[c.contextPath(pod)]; asked != nil && !isOwnedBy(asked, pod) && !m.Orphans {
		c.fail(pod, "SchedulerError", "the PodSchedulingContext is not owned by the pod")
		return true
	}
	for i, p := range all {
		if at(p.claim, "metadata")["deletionTimestamp"] != nil && !m.AsksForDeleted || m.WakesOne && c.isForOther(pod, p.claim) {
			return true
		}
		if isBusy(p.claim) && !isUser(pod, p.claim) && !m.SharesAll {
			c.fail(pod, "Unschedulable", "resourceclaim in use")
			c.lost[podPath(pod)] = m.GivesUp
			return true
		}
		if at(p.claim, "status")["deallocationRequested"] == true && !m.UsesLeaving && (i == 0 || !m.FirstLeaving) {
			return true
		}
		if at(p.claim, "status", "allocation") == nil && isImmediate(p.claim) && !m.AsksForImmediate && !c.isSkipped(p.claim, all) {
			return true
		}
	}
	return false
}

// isSkipped reports whether the scheduler does not wait for a claim of a pod that is
// allocated immediately, as set by [SchedulerMistakes.SkipsImmediate].
func (c *Cluster) isSkipped(claim object, all []podClaim) bool {
	return c.mistakes.Scheduler.SkipsImmediate && isImmediate(claim) && len(all) > 1
}

// isForOther reports whether a pod waits for a claim that is allocated for another one.
func (c *Cluster) isForOther(pod, claim object) bool {
	return c.objects[c.contextPath(pod)] != nil && len(list(claim, "status", "reservedFor")) > 0 && !isUser(pod, claim)
}

// ask writes the context of a pod.
func (c *Cluster) ask(pod object, all, pending []podClaim, fitting []string) {
	m := c.mistakes.Scheduler
	path := c.contextPath(pod)
	asked := c.objects[path]
	if asked == nil {
		metadata := object{"name": text(pod, "metadata", "name"), "namespace": text(pod, "metadata", "namespace")}
		if !m.Orphans {
			metadata["ownerReferences"] = ownedBy(pod)
		}
		asked = object{"metadata": metadata, "spec": object{}}
		c.objects[path] = asked
	}
	var potential []any
	for _, node := range fitting {
		potential = append(potential, node)
	}
	if len(potential) > 128 {
		potential = potential[:128]
		if m.ListsAll {
			delete(c.objects, path) // The API server rejects the list.
			return
		}
	}
	if m.AsksAboutAll {
		potential = nil
		for _, node := range c.all("nodes") {
			potential = append(potential, text(c.objects[node], "metadata", "name"))
		}
	}
	if at(asked, "spec")["potentialNodes"] == nil || !m.AsksOnce {
		at(asked, "spec")["potentialNodes"] = potential
	}
	one := len(pending) == 1 && !m.NeverSelects && (len(all) == 1 || !m.CountsAll)
	if m.Insists && text(asked, "spec", "selectedNode") != "" {
		return
	}
	if one || m.Hurries || c.answered(asked, pending) {
		at(asked, "spec")["selectedNode"] = fitting[0]
	}
}

// ownedBy returns the owner references of the context of a pod.
func ownedBy(pod object) []any {
	return []any{object{"apiVersion": "v1", "kind": "Pod", "name": text(pod, "metadata", "name"), "uid": text(pod, "metadata", "uid"), "controller": true}}
}

// isOwnedBy reports whether a pod owns a context.
func isOwnedBy(asked, pod object) bool {
	return slices.ContainsFunc(list(asked, "metadata", "ownerReferences"), func(owner any) bool {
		return text(owner.(object), "uid") == text(pod, "metadata", "uid")
	})
}

// answered reports whether drivers have answered about all pending claims.
func (c *Cluster) answered(asked object, pending []podClaim) bool {
	for _, p := range pending {
		if !slices.Contains(values(list(asked, "status", "resourceClaims"), "name"), any(p.inPod)) {
			return false
		}
	}
	return true
}
