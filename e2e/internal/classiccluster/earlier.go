// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"slices"
	"strings"
)

const (
	immediate = "Immediate"
	delayed   = "WaitForFirstConsumer"
)

// adapt converts the path and the object of a request in the API of 1.30 to those of 1.31,
// in which the cluster keeps its objects. It adds fields and removes none.
func (c *Cluster) adapt(path string, o object) string {
	if !c.mistakes.Earlier || !strings.HasPrefix(path, resources) {
		return path
	}
	path = strings.Replace(path, "/resourceclasses", "/deviceclasses", 1)
	if class := text(o, "spec", "resourceClassName"); class != "" {
		spec := at(o, "spec")
		spec["controller"] = text(c.objects[resources+"/deviceclasses/"+class], "driverName")
		spec["devices"] = object{"requests": []any{object{"deviceClassName": class}}}
		if spec["allocationMode"] == nil && !c.mistakes.NoDefaultMode {
			spec["allocationMode"] = delayed
		}
	}
	if nodes := at(o, "status", "allocation")["availableOnNodes"]; nodes != nil {
		at(o, "status", "allocation")["nodeSelector"] = nodes
	}
	return path
}

// isImmediate reports whether a claim is allocated without a pod.
func isImmediate(claim object) bool { return text(claim, "spec", "allocationMode") == immediate }

// dropData removes the data of all allocations.
func (c *Cluster) dropData() {
	for _, path := range c.all("resourceclaims") {
		for _, handle := range list(c.objects[path], "status", "allocation", "resourceHandles") {
			delete(handle.(object), "data")
		}
	}
}

// isForOne reports whether a claim can have one user at a time only.
func isForOne(claim object) bool { return at(claim, "status", "allocation")["shareable"] == false }

// isBusy reports whether no other pod can use a claim at the moment.
func isBusy(claim object) bool {
	return isForOne(claim) && len(list(claim, "status", "reservedFor")) > 0
}

// allocateAtOnce lets the driver allocate a claim without a pod.
func (c *Cluster) allocateAtOnce(path string, claim object) {
	m := c.mistakes.Driver
	done := at(claim, "status", "allocation") != nil || at(claim, "metadata")["deletionTimestamp"] != nil
	if done || m.WaitsForPods || !isImmediate(claim) && !m.IgnoresModes {
		return
	}
	own := podClaim{path: path, claim: claim}
	for _, node := range c.all("nodes") {
		if !c.allows(claim, text(c.objects[node], "metadata", "name")) {
			continue
		}
		name := text(c.objects[node], "metadata", "name")
		if free := c.free(name, []podClaim{own}); len(free) > 0 {
			c.hold(claim, free[:1])
			c.write(nil, own, free[:1], name)
			return
		}
	}
}

// allows reports whether the parameters of a claim and of its class allow a node.
func (c *Cluster) allows(claim object, node string) bool {
	if !c.mistakes.Earlier {
		return c.configAllows(claim, node)
	}
	m, of := c.mistakes.Driver, at(claim, "spec", "parametersRef")
	class := c.objects[resources+"/deviceclasses/"+text(claim, "spec", "resourceClassName")]
	ref := at(class, "parametersRef")
	return (m.IgnoresParameters || c.refAllows(ref, text(ref, "namespace"), node)) &&
		(m.IgnoresClaimParameters || c.refAllows(of, text(claim, "metadata", "namespace"), node))
}

// refAllows reports whether parameters exist and allow a node, or whether there is no
// reference to any.
func (c *Cluster) refAllows(ref object, namespace, node string) bool {
	if ref == nil {
		return true
	}
	parameters := c.objects[coreObjects+"/namespaces/"+namespace+"/configmaps/"+text(ref, "name")]
	return slices.Contains(strings.Split(text(parameters, "data", "nodes"), ","), node)
}

// configAllows reports whether the parameters in the configuration of a claim and of its
// classes allow a node.
func (c *Cluster) configAllows(claim object, node string) bool {
	var configs []any
	if !c.mistakes.Driver.IgnoresClaimParameters {
		configs = list(claim, "spec", "devices", "config")
	}
	for _, request := range list(claim, "spec", "devices", "requests") {
		class := c.objects[resources+"/deviceclasses/"+text(request.(object), "deviceClassName")]
		if !c.mistakes.Driver.IgnoresParameters {
			configs = slices.Concat(configs, list(class, "spec", "config"))
		}
	}
	return !slices.ContainsFunc(configs, func(config any) bool {
		nodes := list(config.(object), "opaque", "parameters", "nodes")
		return nodes != nil && !slices.Contains(nodes, any(node))
	})
}

// addEarlierFields adds those of 1.30 to a claim that the driver has allocated.
func (c *Cluster) addEarlierFields(claim object, device string) {
	if !c.mistakes.Earlier {
		return
	}
	allocation := at(claim, "status", "allocation")
	at(claim, "status")["driverName"] = allocation["controller"]
	allocation["availableOnNodes"], allocation["shareable"] = allocation["nodeSelector"], true
	allocation["resourceHandles"] = []any{object{"driverName": c.driver.name, "data": device}}
}

// hasTooMuchData reports whether a claim has more data than is allowed.
func hasTooMuchData(claim object) bool {
	for _, handle := range list(claim, "status", "allocation", "resourceHandles") {
		if len(text(handle.(object), "data")) > 16<<10 {
			return true
		}
	}
	return false
}

// validateEarlier has the rules for objects of 1.30 that 1.31 does not have.
func validateEarlier(resource string, o object, add func(bool, string)) {
	ref := at(o, "parametersRef")
	switch resource {
	case "deviceclasses":
		add(!isDriverName(text(o, "driverName")), ClassDriver)
	case "resourceclaims":
		ref = at(o, "spec", "parametersRef")
		mode := text(o, "spec", "allocationMode")
		add(!slices.Contains([]string{immediate, delayed, ""}, mode), UnknownMode)
		allocation := at(o, "status", "allocation")
		add(allocation != nil && text(o, "status", "driverName") == "", NoAllocator)
		add(len(list(allocation, "resourceHandles")) > 32, TooManyHandle)
	}
	add(ref != nil && text(ref, "kind") == "", NoKind)
	add(ref != nil && text(ref, "name") == "", NoName)
}
