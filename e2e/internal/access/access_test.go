// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

// conditions are all conditions.
var conditions = []Condition{OwnNamespace, InlineClass, DaemonSet, AllowRestart, AllowUpdate, AllowLogs}

func TestRightsAreComplete(t *testing.T) {
	g := NewWithT(t)
	for _, r := range Rights(conditions...) {
		g.Expect(r.For).NotTo(BeEmpty(), "%+v", r)
		g.Expect(r.Verbs).NotTo(BeEmpty(), "%+v", r)
		g.Expect([]Scope{Cluster, Namespace, Driver}).To(ContainElement(r.Scope), "%+v", r)
		g.Expect(len(r.Resources) > 0).NotTo(Equal(r.NonResource != ""), "%+v", r)
		g.Expect(r.Verbs).NotTo(ContainElement("*"), "%+v", r)
	}
	for _, c := range conditions {
		g.Expect(slices.ContainsFunc(Rights(c), func(r Right) bool { return r.When == c })).To(BeTrue(), "no right is for %s", c)
	}
}

// A run may only change objects outside of its namespace if its files ask for
// it: nothing is deleted or changed in the driver's namespace by default.
func TestRightsWithoutConditions(t *testing.T) {
	g := NewWithT(t)
	for _, r := range Rights() {
		if r.Scope == Namespace {
			continue
		}
		g.Expect(r.Scope).NotTo(Equal(Driver), "%+v", r)
		// Slices are created as a dry run. RBAC has no verb for that.
		if !slices.Equal(r.Resources, []string{"resourceslices"}) {
			g.Expect([]string{"get", "list", "watch"}).To(ContainElements(r.Verbs), "%+v", r)
		}
	}
}

func TestReviews(t *testing.T) {
	g := NewWithT(t)
	right := Right{Group: "g", Resources: []string{"a", "b"}, Subresource: "s", Verbs: []string{"get", "list"}, Scope: Namespace}
	var described []string
	for _, spec := range right.Reviews("n") {
		g.Expect(spec.ResourceAttributes.Namespace).To(Equal("n"))
		described = append(described, Describe(spec))
	}
	g.Expect(described).To(Equal([]string{"get a/s of g", "get b/s of g", "list a/s of g", "list b/s of g"}))
	right.Scope = Cluster
	g.Expect(right.Reviews("n")[0].ResourceAttributes.Namespace).To(BeEmpty())
	g.Expect(Describe(Right{NonResource: "/metrics", Verbs: []string{"get"}}.Reviews("")[0])).To(Equal("get /metrics"))
}
