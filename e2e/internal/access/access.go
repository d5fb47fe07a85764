// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package access lists what a run in an existing cluster needs to be allowed to
// do, and what for.
package access

import (
	_ "embed"
	"fmt"
	"slices"

	authorizationapi "k8s.io/api/authorization/v1"
	"sigs.k8s.io/yaml"
)

// Scope is where a right is needed.
type Scope string

// The scopes.
const (
	// Cluster is all namespaces, or objects without one.
	Cluster Scope = "cluster"
	// Namespace is the namespace of the run.
	Namespace Scope = "namespace"
	// Driver is the namespace of the driver's DaemonSet.
	Driver Scope = "driver"
)

// Condition is what a run has to do for a right to be needed.
type Condition string

// The conditions.
const (
	// OwnNamespace: the run creates its namespace.
	OwnNamespace Condition = "own-namespace"
	// InlineClass: the run creates DeviceClasses.
	InlineClass Condition = "inline-class"
	// DaemonSet: the DaemonSet of the driver is known.
	DaemonSet Condition = "daemonset"
	// AllowRestart, AllowUpdate and AllowLogs: the driver file allows it.
	AllowRestart Condition = "allow-restart"
	AllowUpdate  Condition = "allow-update"
	AllowLogs    Condition = "allow-logs"
)

// Right is what a run needs to be allowed to do.
type Right struct {
	// Group is the API group of the resources. Empty means the core group.
	Group       string   `json:"group,omitempty"`
	Resources   []string `json:"resources,omitempty"`
	Subresource string   `json:"subresource,omitempty"`
	// NonResource is a path of the API server, in place of resources.
	NonResource string   `json:"nonResource,omitempty"`
	Verbs       []string `json:"verbs"`
	Scope       Scope    `json:"scope"`
	// When limits the right to runs with a condition.
	When Condition `json:"when,omitempty"`
	// Optional states that a run without the right knows or judges less.
	Optional bool `json:"optional,omitempty"`
	// For states what the right is for.
	For string `json:"for"`
}

//go:embed rights.yaml
var data []byte

// Rights returns the rights of a run with the given conditions.
func Rights(given ...Condition) []Right {
	var all []Right
	if err := yaml.UnmarshalStrict(data, &all); err != nil {
		panic(fmt.Sprintf("embedded rights: %v", err)) // Unreachable: a test reads them.
	}
	return slices.DeleteFunc(all, func(r Right) bool { return r.When != "" && !slices.Contains(given, r.When) })
}

// Reviews returns the reviews that ask for a right, one for each verb of each
// resource. Rights in all namespaces ignore the namespace.
func (r Right) Reviews(namespace string) []authorizationapi.SelfSubjectAccessReviewSpec {
	if r.Scope == Cluster {
		namespace = ""
	}
	var all []authorizationapi.SelfSubjectAccessReviewSpec
	for _, verb := range r.Verbs {
		if r.NonResource != "" {
			all = append(all, authorizationapi.SelfSubjectAccessReviewSpec{NonResourceAttributes: &authorizationapi.NonResourceAttributes{Path: r.NonResource, Verb: verb}})
		}
		for _, resource := range r.Resources {
			all = append(all, authorizationapi.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationapi.ResourceAttributes{
				Group: r.Group, Resource: resource, Subresource: r.Subresource, Verb: verb, Namespace: namespace,
			}})
		}
	}
	return all
}

// Describe returns a review as in "create pods".
func Describe(spec authorizationapi.SelfSubjectAccessReviewSpec) string {
	if n := spec.NonResourceAttributes; n != nil {
		return n.Verb + " " + n.Path
	}
	a := spec.ResourceAttributes
	text := a.Verb + " " + a.Resource
	if a.Subresource != "" {
		text += "/" + a.Subresource
	}
	if a.Group != "" {
		text += " of " + a.Group
	}
	return text
}
