// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import "slices"

// validateSelector validates a node selector, if there is one.
func validateSelector(selector object, operator, noTerm string, add func(bool, string)) {
	if selector == nil {
		return
	}
	terms := list(selector, "nodeSelectorTerms")
	add(len(terms) == 0, noTerm)
	for _, term := range terms {
		for _, expression := range list(term.(object), "matchExpressions") {
			known := []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}
			add(!slices.Contains(known, text(expression.(object), "operator")), operator)
		}
	}
}

// validateResults validates the nodes, devices and users of a claim.
func validateResults(claim object, add func(bool, string)) {
	allocation := at(claim, "status", "allocation")
	validateSelector(at(allocation, "nodeSelector"), AllocatedNodes, AllocatedNodes, add)
	requests := values(list(claim, "spec", "devices", "requests"), "name")
	for _, r := range list(allocation, "devices", "results") {
		result := r.(object)
		add(!slices.Contains(requests, result["request"]) && len(requests) > 0 && requests[0] != nil, ResultRequest)
		add(!isDriverName(text(result, "driver")), ResultDriver)
		add(!isDriverName(text(result, "pool")), ResultPool)
		add(!isDriverName(text(result, "device")), ResultDevice)
	}
	for _, u := range list(claim, "status", "reservedFor") {
		user := u.(object)
		add(text(user, "resource") == "", UserResource)
		add(text(user, "name") == "", UserName)
		add(text(user, "uid") == "", UserUID)
	}
}
