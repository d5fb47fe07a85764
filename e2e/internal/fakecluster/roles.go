// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

var (
	rolesOf           = rbacv1.SchemeGroupVersion.WithResource("roles")
	bindingsOf        = rbacv1.SchemeGroupVersion.WithResource("rolebindings")
	clusterRolesOf    = rbacv1.SchemeGroupVersion.WithResource("clusterroles")
	clusterBindingsOf = rbacv1.SchemeGroupVersion.WithResource("clusterrolebindings")
)

// rulesOf returns the rules of the roles in a namespace that are bound to a service
// account.
func (c *Cluster) rulesOf(name, namespace string) []rbacv1.PolicyRule {
	bindings, err := shared[rbacv1.RoleBinding](c, bindingsOf, "RoleBinding")
	if err != nil {
		return nil
	}
	var rules []rbacv1.PolicyRule
	for _, binding := range bindings {
		if binding.Namespace != namespace || !binds(binding.Subjects, name) {
			continue
		}
		if o, err := c.tracker.Get(rolesOf, namespace, binding.RoleRef.Name); err == nil {
			rules = append(rules, o.(*rbacv1.Role).Rules...)
		}
	}
	return rules
}

// clusterRulesOf returns the rules of the cluster roles that are bound to a service
// account in all namespaces.
func (c *Cluster) clusterRulesOf(name string) []rbacv1.PolicyRule {
	bindings, err := shared[rbacv1.ClusterRoleBinding](c, clusterBindingsOf, "ClusterRoleBinding")
	if err != nil {
		return nil
	}
	var rules []rbacv1.PolicyRule
	for _, binding := range bindings {
		if !binds(binding.Subjects, name) {
			continue
		}
		if o, err := c.tracker.Get(clusterRolesOf, "", binding.RoleRef.Name); err == nil {
			rules = append(rules, o.(*rbacv1.ClusterRole).Rules...)
		}
	}
	return rules
}

// binds reports whether a service account is one of the subjects.
func binds(subjects []rbacv1.Subject, name string) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool { return strings.HasSuffix(name, ":"+s.Namespace+":"+s.Name) })
}

// allow reports whether one of the rules allows a verb on an object.
func allow(rules []rbacv1.PolicyRule, verb, resource, name string) bool {
	return slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.Verbs, verb) && slices.Contains(r.Resources, resource) && (len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, name))
	})
}
