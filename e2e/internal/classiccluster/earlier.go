// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import "strings"

// The API of Kubernetes 1.30 is served by converting its objects to those of 1.31.
const earlierResources = "/apis/resource.k8s.io/v1alpha2"

const (
	immediate = "Immediate"
	delayed   = "WaitForFirstConsumer"
)

// adapt converts the path and the object of a request in the API of 1.30 to those of 1.31.
// It adds fields and removes none.
func (c *Cluster) adapt(path string, o object) string {
	rest, ok := strings.CutPrefix(path, earlierResources)
	if !ok {
		return path
	}
	path = resources + strings.Replace(rest, "/resourceclasses", "/deviceclasses", 1)
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

// hasTooMuchData reports whether a claim has more data than is allowed.
func hasTooMuchData(claim object) bool {
	for _, handle := range list(claim, "status", "allocation", "resourceHandles") {
		if len(text(handle.(object), "data")) > 16<<10 {
			return true
		}
	}
	return false
}
