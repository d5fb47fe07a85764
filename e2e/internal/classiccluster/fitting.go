// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"slices"
	"strings"
)

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
		for i, p := range all {
			ignored := m.Wanders || m.FirstAllocation && i > 0
			suitable = suitable && (ignored || c.available(node, at(p.claim, "status", "allocation"))) && (m.IgnoresStructured || c.offered(node, p.claim))
			suitable = suitable && (!m.HeedsOldAnswers || !c.excluded(pod, p, text(node, "metadata", "name")))
		}
		if m.HeedsOldClasses {
			pending = all
		}
		for i, p := range pending {
			classFits, exists := c.classFits(node, p.claim)
			if !exists && !m.NeedsNoClass {
				return nil, false
			}
			suitable = suitable && (classFits || m.IgnoresClasses || m.FirstPending && i > 0) && !c.excluded(pod, p, text(node, "metadata", "name"))
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
	_, found := c.deviceOn(text(node, "metadata", "name"))
	return found || !c.isClassic() && c.mistakes.Upgrade.Guesses
}

// named reports whether the affinity of a pod allows a node, by its name or its labels.
func named(node, pod object) bool {
	return selects(at(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"), node)
}

// available reports whether an allocation is available on a node.
func (c *Cluster) available(node, allocation object) bool {
	m := c.mistakes.Scheduler
	selector := at(allocation, "nodeSelector")
	if terms := list(selector, "nodeSelectorTerms"); m.FirstTerm && len(terms) > 1 {
		selector = object{"nodeSelectorTerms": terms[:1]}
	}
	return selects(selector, node) || m.IgnoresFields && hasFields(selector)
}

func hasFields(selector object) bool {
	return slices.ContainsFunc(list(selector, "nodeSelectorTerms"), func(term any) bool { return term.(object)["matchFields"] != nil })
}

// selects evaluates a node selector, which selects all nodes if there is none.
func selects(selector, node object) bool {
	terms := list(selector, "nodeSelectorTerms")
	return len(terms) == 0 || slices.ContainsFunc(terms, func(term any) bool { return meets(node, term.(object)) })
}

// meets reports whether a node meets all requirements of a term.
func meets(node, term object) bool {
	for _, e := range list(term, "matchExpressions") {
		value, _ := at(node, "metadata", "labels")[text(e.(object), "key")].(string)
		if !slices.Contains(list(e.(object), "values"), any(value)) {
			return false
		}
	}
	for _, field := range list(term, "matchFields") {
		if !slices.Contains(list(field.(object), "values"), any(text(node, "metadata", "name"))) {
			return false
		}
	}
	return true
}

// classFits reports whether a node is suitable for the classes of a claim, and whether they
// exist.
func (c *Cluster) classFits(node, claim object) (fits, exists bool) {
	fits, exists = true, true
	for i, request := range list(claim, "spec", "devices", "requests") {
		oneFits, oneExists := c.oneFits(node, text(request.(object), "deviceClassName"))
		fits, exists = fits && (oneFits || i > 0 && c.mistakes.Scheduler.FirstClass), exists && oneExists
	}
	return fits, exists
}

// oneFits is classFits for one class.
func (c *Cluster) oneFits(node object, name string) (fits, exists bool) {
	path := resources + "/deviceclasses/" + name
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
	excluded := c.isUnsuitable(pod, p, node)
	if key := "/excluded/" + p.inPod + "|" + node; m.KeepsExcluded {
		if excluded {
			c.objects[key] = object{}
		}
		_, excluded = c.objects[key]
	}
	return excluded
}

// isUnsuitable reports whether a node is unsuitable for a claim according to its driver.
func (c *Cluster) isUnsuitable(pod object, p podClaim, node string) bool {
	m := c.mistakes.Scheduler
	answers := list(c.objects[c.contextPath(pod)], "status", "resourceClaims")
	if m.RemembersAnswers {
		answers = c.remember(c.contextPath(pod), answers)
	}
	for i, answer := range answers {
		a := answer.(object)
		unsuitable := list(a, "unsuitableNodes")
		if m.FirstExcluded && len(unsuitable) > 1 {
			unsuitable = unsuitable[:1]
		}
		if text(a, "name") == p.inPod && slices.Contains(unsuitable, any(node)) && (i == 0 || !m.HearsFirst) {
			return true
		}
	}
	return false
}

// remember returns the last answers about a pod, or about another one of that name.
func (c *Cluster) remember(path string, answers []any) []any {
	key := "/remembered/" + strings.ReplaceAll(path, "/", "|")
	if len(answers) > 0 {
		c.objects[key] = object{"answers": answers}
	}
	return list(c.objects[key], "answers")
}
