// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Account is the ServiceAccount that roles are bound to.
type Account struct{ Namespace, Name string }

// User returns the name of the account in audit logs.
func (a Account) User() string { return "system:serviceaccount:" + a.Namespace + ":" + a.Name }

// Roles returns the roles with the rights of a run, with the given name: a
// ClusterRole for the cluster, and a Role for each namespace that rights are
// limited to. With an account they are bound to it.
func (r Run) Roles(name string, account *Account) []runtime.Object {
	byNamespace := map[string][]Right{}
	for _, right := range r.Rights() {
		byNamespace[right.Namespace] = append(byNamespace[right.Namespace], right)
	}
	var namespaces []string
	for namespace := range byNamespace {
		namespaces = append(namespaces, namespace)
	}
	slices.Sort(namespaces)
	var objects []runtime.Object
	for _, namespace := range namespaces {
		objects = append(objects, role(name, namespace, policy(byNamespace[namespace])))
		if account != nil {
			objects = append(objects, binding(name, namespace, *account))
		}
	}
	return objects
}

func role(name, namespace string, rules []rbacv1.PolicyRule) runtime.Object {
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace}
	if namespace == "" {
		return &rbacv1.ClusterRole{TypeMeta: typeOf("ClusterRole"), ObjectMeta: meta, Rules: rules}
	}
	return &rbacv1.Role{TypeMeta: typeOf("Role"), ObjectMeta: meta, Rules: rules}
}

func binding(name, namespace string, account Account) runtime.Object {
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}}
	if namespace == "" {
		return &rbacv1.ClusterRoleBinding{
			TypeMeta: typeOf("ClusterRoleBinding"), ObjectMeta: meta, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		}
	}
	return &rbacv1.RoleBinding{
		TypeMeta: typeOf("RoleBinding"), ObjectMeta: meta, Subjects: subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
	}
}

func typeOf(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}

// policy returns rules with rights: one for each resource or URL, with its verbs.
func policy(rights []Right) []rbacv1.PolicyRule {
	rights = slices.Clone(rights)
	key := func(r Right) string { return strings.Join([]string{r.Group, r.Resource, r.URL}, " ") }
	slices.SortStableFunc(rights, func(a, b Right) int { return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(key(a), key(b))) })
	var rules []rbacv1.PolicyRule
	for i, right := range rights {
		if i > 0 && key(rights[i-1]) == key(right) {
			last := &rules[len(rules)-1]
			last.Verbs = append(last.Verbs, right.Verb)
			continue
		}
		rule := rbacv1.PolicyRule{Verbs: []string{right.Verb}, NonResourceURLs: []string{right.URL}}
		if right.URL == "" {
			rule = rbacv1.PolicyRule{Verbs: []string{right.Verb}, APIGroups: []string{right.Group}, Resources: []string{right.Resource}}
		}
		rules = append(rules, rule)
	}
	return rules
}

// Manifest returns the roles as YAML documents.
func (r Run) Manifest(name string, account *Account) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(manifestHeader)
	for i, object := range r.Roles(name, account) {
		content, err := yaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("render the roles: %w", err)
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(content)
	}
	return out.Bytes(), nil
}

const manifestHeader = "# The rights of a run in an existing cluster. This is the output of \"draconform rbac\".\n"
