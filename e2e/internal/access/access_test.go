// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// of returns the verbs on a resource, by namespace.
func of(rights []Right, resource string) map[string][]string {
	verbs := map[string][]string{}
	for _, r := range rights {
		if r.Resource == resource {
			verbs[r.Namespace] = append(verbs[r.Namespace], r.Verb)
		}
	}
	return verbs
}

// reading returns the driver of a driver file that ends with the given lines.
func reading(t *testing.T, lines string) []*driverfile.Driver {
	t.Helper()
	drivers, err := driverfile.Decode("", []byte("apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: gpu.example.com\n"+lines))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return drivers
}

const daemonSet = "daemonSet: {namespace: gpu-system, name: gpu}\n"

func TestRulesAreComplete(t *testing.T) {
	conditions := []string{"always", "own-namespace", "given-namespace", "inline-class", "claims-in-use", "withdrawn-label", "node-agent", "daemon-set", "restart", "update", "logs", "fakes", "simulate-nodes", "clean", "clean-cluster"}
	for _, r := range rules {
		g := NewWithT(t)
		g.Expect(r.For).NotTo(BeEmpty())
		g.Expect(conditions).To(ContainElement(r.When), r.For)
		g.Expect([]string{"cluster", "run", "driver"}).To(ContainElement(r.Scope), r.For)
		g.Expect(r.Verbs).NotTo(Or(BeEmpty(), ContainElement("*")), r.For)
		g.Expect(slices.Concat(r.Resources, r.URLs)).NotTo(Or(BeEmpty(), ContainElement("*")), r.For)
	}
}

func TestRightsDependOnTheNamespace(t *testing.T) {
	g := NewWithT(t)
	own, given := Run{}.Rights(), Run{Namespace: "team"}.Rights()
	g.Expect(of(own, "pods")).To(HaveKey(""), "a namespace that does not exist yet has no roles")
	g.Expect(of(own, "namespaces")).To(Equal(map[string][]string{"": {"create", "get", "delete"}}))
	g.Expect(of(own, "leases")).To(BeEmpty())
	g.Expect(of(given, "pods")).To(Equal(map[string][]string{"team": {"create", "get", "list", "patch", "delete"}}))
	g.Expect(of(given, "namespaces")).To(Equal(map[string][]string{"team": {"get"}}))
	g.Expect(of(given, "leases")).To(Equal(map[string][]string{"team": {"create", "get", "update", "delete"}}))
	g.Expect(of(given, "resourceclaims")).To(Equal(map[string][]string{"": {"list", "watch"}, "team": {"create", "get", "delete"}}), "what the cluster's role has is not repeated")
}

func TestRightsDependOnDriverFiles(t *testing.T) {
	for name, test := range map[string]struct {
		run  Run
		file string
		want map[string]map[string][]string // verbs by resource and namespace
	}{
		"without a DaemonSet": {Run{Namespace: "team"}, "", map[string]map[string][]string{"daemonsets": {}}},
		"nothing allowed": {Run{Namespace: "team"}, daemonSet, map[string]map[string][]string{
			"daemonsets": {"gpu-system": {"get"}}, "deviceclasses": {"": {"list"}}, "secrets": {},
		}},
		"restart": {Run{Namespace: "team"}, daemonSet + "allow: {restart: true}", map[string]map[string][]string{
			"pods": {"gpu-system": {"list", "delete"}, "team": {"create", "get", "list", "patch", "delete"}},
		}},
		"update":       {Run{}, daemonSet + "allow: {update: {image: new}}", map[string]map[string][]string{"daemonsets": {"gpu-system": {"get", "patch"}}}},
		"logs":         {Run{Namespace: "team"}, daemonSet + "allow: {logs: true}", map[string]map[string][]string{"pods/log": {"gpu-system": {"get"}, "team": {"get"}}}},
		"inline class": {Run{}, "roles: {exclusive: {device: {inlineClass: {selectors: ['true']}}}}", map[string]map[string][]string{"deviceclasses": {"": {"list", "create", "delete"}}}},
		"withdrawn label": {Run{Namespace: "team"}, "roles: {multiHost: {pair: {class: pair}, withdrawn: {key: gpu.example.com/withdrawn}}}", map[string]map[string][]string{
			"nodes": {"": {"get", "list", "watch", "patch"}},
		}},
		"no label":   {Run{Namespace: "team"}, "roles: {multiHost: {pair: {class: pair}}}", map[string]map[string][]string{"nodes": {"": {"get", "list", "watch"}}}},
		"node agent": {Run{Namespace: "team", NodeAgent: true}, "", map[string]map[string][]string{"secrets": {"": {"create", "get"}}, "pods/proxy": {"": {"create"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			test.run.Drivers = reading(t, test.file)
			for resource, want := range test.want {
				g.Expect(of(test.run.Rights(), resource)).To(Equal(want), resource)
			}
		})
	}
}

func TestOnlyRunsWithoutDriverFilesGrantRights(t *testing.T) {
	g := NewWithT(t)
	groupsOf := func(r Run) (groups []string) {
		for _, right := range r.Rights() {
			groups = append(groups, right.Group)
		}
		return groups
	}
	g.Expect(groupsOf(Run{Fakes: true})).To(ContainElement(rbacv1.GroupName))
	g.Expect(groupsOf(Run{NodeAgent: true, Drivers: reading(t, daemonSet+"allow: {restart: true, logs: true, update: {image: new}}")})).NotTo(ContainElement(rbacv1.GroupName))
}

func TestSimulatedNodesNeedRights(t *testing.T) {
	g := NewWithT(t)
	g.Expect(of(Run{Fakes: true}.Rights(), "nodes")[""]).NotTo(ContainElement("create"))
	g.Expect(of(Run{Fakes: true, SimulateNodes: true}.Rights(), "nodes")[""]).To(ContainElements("create", "delete"))
}

// Without this right, the API server rejects reservations, and specs of node agents
// fail (KEP-4817, granular authorization of the status).
func TestNodeAgentsNeedTheRightToReserveClaims(t *testing.T) {
	g := NewWithT(t)
	binding := Right{Verb: "update", Group: "resource.k8s.io", Resource: "resourceclaims/binding"}
	has := func(r Run) bool {
		return slices.ContainsFunc(r.Rights(), func(right Right) bool { return right.covers(binding) })
	}
	g.Expect(has(Run{NodeAgent: true, Namespace: "given"})).To(BeTrue(), "for all namespaces")
	g.Expect(has(Run{Namespace: "given"})).To(BeFalse())
}
