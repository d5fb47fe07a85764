// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"maps"
	"slices"
	"strings"
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

// fitting returns the nodes on which a pod can run. It reports false if a class does not
// exist.
func (c *Cluster) fitting(pod object, all, pending []podClaim) ([]string, bool) {
	m := c.mistakes.Scheduler
	var fit []string
	for _, path := range c.all("nodes") {
		node := c.objects[path]
		if !matches(node, at(pod, "spec", "nodeSelector")) || !named(node, pod) {
			continue
		}
		suitable := true
		for _, p := range all {
			suitable = suitable && (m.Wanders || c.available(node, at(p.claim, "status", "allocation"))) && (m.IgnoresStructured || c.offered(node, p.claim))
		}
		for _, p := range pending {
			classFits, exists := c.classFits(node, p.claim)
			if !exists && !m.NeedsNoClass {
				return nil, false
			}
			suitable = suitable && (classFits || m.IgnoresClasses) && !c.excluded(pod, p, text(node, "metadata", "name"))
		}
		if suitable {
			fit = append(fit, text(node, "metadata", "name"))
		}
	}
	return fit, true
}

func matches(node, wanted object) bool {
	labels := at(node, "metadata", "labels")
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// offered reports whether a node has a device for a claim that the scheduler allocates.
func (c *Cluster) offered(node, claim object) bool {
	if text(claim, "spec", "controller") != "" || at(claim, "status", "allocation") != nil {
		return true
	}
	return slices.ContainsFunc(c.all("resourceslices"), func(path string) bool {
		return text(c.objects[path], "spec", "nodeName") == text(node, "metadata", "name")
	})
}

// named reports whether the affinity of a pod allows a node, by its name or its labels.
func named(node, pod object) bool {
	if !selects(at(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"), node) {
		return false
	}
	for _, term := range list(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms") {
		for _, field := range list(term.(object), "matchFields") {
			if !slices.Contains(list(field.(object), "values"), any(text(node, "metadata", "name"))) {
				return false
			}
		}
	}
	return true
}

// available reports whether an allocation is available on a node.
func (c *Cluster) available(node, allocation object) bool {
	return selects(at(allocation, "nodeSelector"), node)
}

// selects evaluates a node selector with one term at most.
func selects(selector, node object) bool {
	for _, term := range list(selector, "nodeSelectorTerms") {
		for _, e := range list(term.(object), "matchExpressions") {
			value, _ := at(node, "metadata", "labels")[text(e.(object), "key")].(string)
			if !slices.Contains(list(e.(object), "values"), any(value)) {
				return false
			}
		}
	}
	return true
}

// classFits reports whether a node is suitable for the class of a claim, and whether the
// class exists.
func (c *Cluster) classFits(node, claim object) (fits, exists bool) {
	request := list(claim, "spec", "devices", "requests")[0].(object)
	path := resources + "/deviceclasses/" + text(request, "deviceClassName")
	class, exists := c.objects[path]
	if remembered := c.objects["/remembered"+path]; c.mistakes.Scheduler.RemembersClasses {
		if remembered != nil {
			class = remembered
		} else if exists {
			c.objects["/remembered"+path] = clone(class)
		}
	}
	return selects(at(class, "spec", "suitableNodes"), node), exists
}

// excluded reports whether the driver of a claim has excluded a node.
func (c *Cluster) excluded(pod object, p podClaim, node string) bool {
	m := c.mistakes.Scheduler
	if m.Insists {
		return false
	}
	for i, answer := range list(c.objects[c.contextPath(pod)], "status", "resourceClaims") {
		a := answer.(object)
		if text(a, "name") == p.inPod && slices.Contains(list(a, "unsuitableNodes"), any(node)) && (i == 0 || !m.HearsFirst) {
			return true
		}
	}
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
		if asked := c.objects[c.contextPath(pod)]; asked != nil {
			delete(at(asked, "spec"), "selectedNode")
		}
		delete(status, "reservedFor")
		status["deallocationRequested"] = true
		return
	}
}

// bind reserves the claims of a pod and binds it.
func (c *Cluster) bind(pod object, all []podClaim, node string) {
	m := c.mistakes.Scheduler
	for _, p := range all {
		if text(p.claim, "spec", "controller") == "" && at(p.claim, "status", "allocation") == nil {
			setStatus(p.claim, object{"allocation": object{"nodeSelector": object{"nodeSelectorTerms": []any{object{"matchExpressions": []any{
				object{"key": "kubernetes.io/hostname", "operator": "In", "values": []any{node}},
			}}}}}})
		}
		if why := c.reserve(pod, p.claim); why != "" {
			c.fail(pod, "SchedulerError", why)
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
	at(claim, "status")["reservedFor"] = append(users, object{"resource": "pods", "name": text(pod, "metadata", "name"), "uid": text(pod, "metadata", "uid")})
	return ""
}

// podOf returns the pod of a consumer, or nil if it does not exist.
func (c *Cluster) podOf(claimPath string, user object) object {
	namespace, _, _ := strings.Cut(strings.TrimPrefix(claimPath, resources+"/namespaces/"), "/")
	pod := c.objects[coreObjects+"/namespaces/"+namespace+"/pods/"+text(user, "name")]
	if text(pod, "metadata", "uid") != text(user, "uid") {
		return nil
	}
	return pod
}
