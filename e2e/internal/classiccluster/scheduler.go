// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"maps"
	"slices"
)

// SchedulerMistakes are faults of the scheduler.
type SchedulerMistakes struct {
	// Orphans makes it create contexts without an owner.
	Orphans bool
	// AsksAboutAll makes it ask about nodes on which the pod cannot run.
	AsksAboutAll bool
	// Hurries makes it select a node before all drivers have answered.
	Hurries bool
	// NeverSelects makes it wait for answers even if only one claim is pending.
	NeverSelects bool
	// Insists makes it keep the selected node if it is unsuitable.
	Insists bool
	// HearsFirst makes it ignore all answers except for the first one.
	HearsFirst bool
	// KeepsContexts makes it keep the contexts of bound pods.
	KeepsContexts bool
	// KeepsAllocations makes it never ask for deallocation.
	KeepsAllocations bool
	// TakesUsed makes it ask for the deallocation of claims that other pods use.
	TakesUsed bool
	// IgnoresClasses makes it ignore the nodes of classes.
	IgnoresClasses bool
	// RemembersClasses makes it use classes as they were when it first saw them.
	RemembersClasses bool
	// NeedsNoClass makes it schedule pods whose class does not exist.
	NeedsNoClass bool
	// Blocks makes it schedule no other pods while one waits for a driver.
	Blocks bool
	// UsesLeaving makes it use claims that are to be deallocated.
	UsesLeaving bool
	// OneUser makes it reserve a claim for one pod only.
	OneUser bool
	// Wanders makes it ignore where a claim is available.
	Wanders bool
	// IgnoresStructured makes it ignore where claims can be allocated that it has to
	// allocate itself.
	IgnoresStructured bool
	// AsksForImmediate makes it ask drivers for claims that are allocated immediately.
	AsksForImmediate bool
	// FreesImmediate makes it ask for the deallocation of such claims.
	FreesImmediate bool
	// AsksOnce makes it never change the potential nodes.
	AsksOnce bool
	// SharesAll makes it try to reserve claims for several pods that are not shareable.
	SharesAll bool
	// GivesUp makes it forget pods whose claim another one uses.
	GivesUp bool
	// LosesWaiting makes it forget pods that wait for drivers when it is restarted.
	LosesWaiting bool
}

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

// schedule tries to schedule a pod. It reports whether the pod waits for nothing.
func (c *Cluster) schedule(pod object) bool {
	m := c.mistakes.Scheduler
	all, found := c.claimsOf(pod)
	if !found {
		return true
	}
	var pending []podClaim
	for _, p := range all {
		if isBusy(p.claim) && !isUser(pod, p.claim) && !m.SharesAll {
			c.fail(pod, "Unschedulable", "resourceclaim in use")
			c.lost[podPath(pod)] = m.GivesUp
			return true
		}
		if at(p.claim, "status")["deallocationRequested"] == true && !m.UsesLeaving {
			return true
		}
		if at(p.claim, "status", "allocation") == nil && isImmediate(p.claim) && !m.AsksForImmediate {
			return true
		}
		// The scheduler allocates claims without a controller itself, when it binds.
		if at(p.claim, "status", "allocation") == nil && text(p.claim, "spec", "controller") != "" {
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
	if len(pending) == 0 {
		c.bind(pod, all, fitting[0])
		return true
	}
	c.ask(pod, pending, fitting)
	return false
}

// ask writes the context of a pod.
func (c *Cluster) ask(pod object, pending []podClaim, fitting []string) {
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
	if m.AsksAboutAll {
		potential = nil
		for _, node := range c.all("nodes") {
			potential = append(potential, text(c.objects[node], "metadata", "name"))
		}
	}
	if at(asked, "spec")["potentialNodes"] == nil || !m.AsksOnce {
		at(asked, "spec")["potentialNodes"] = potential
	}
	one := len(pending) == 1 && !m.NeverSelects
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

// answered reports whether drivers have answered about all pending claims.
func (c *Cluster) answered(asked object, pending []podClaim) bool {
	for _, p := range pending {
		if !slices.Contains(names(list(asked, "status", "resourceClaims")), any(p.inPod)) {
			return false
		}
	}
	return true
}
