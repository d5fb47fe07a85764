// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import "slices"

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
