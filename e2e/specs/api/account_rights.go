// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"errors"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// rules returns the rights of an account in the namespace of the spec.
func (a account) rules() []rbacv1.PolicyRule {
	onStatus := []string{"update"}
	if a.Patches {
		onStatus = append(onStatus, "patch")
	}
	rules := []rbacv1.PolicyRule{
		{APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims"}, Verbs: []string{"get"}},
		{APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims/status"}, Verbs: onStatus},
	}
	if len(a.Verbs) > 0 {
		rules = append(rules, rbacv1.PolicyRule{
			APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims/driver"}, Verbs: a.Verbs, ResourceNames: a.Drivers,
		})
	}
	if a.Binds {
		rules = append(rules, bindingRule)
	}
	return rules
}

// bindingRule is the right to allocate and to reserve claims.
var bindingRule = rbacv1.PolicyRule{APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims/binding"}, Verbs: []string{"update"}}

// grantForAll creates a cluster role with the right to allocate and to reserve claims,
// and binds it. Both are deleted at the end of the spec.
func (a account) grantForAll(ctx context.Context, e *env.Env, subjects []rbacv1.Subject) {
	ginkgo.GinkgoHelper()
	roles, bindings := e.Client.RbacV1().ClusterRoles(), e.Client.RbacV1().ClusterRoleBindings()
	meta := metav1.ObjectMeta{Name: e.UniqueName() + "-" + a.Name, Labels: e.Labels}
	e.Cleanups = append(e.Cleanups, func(ctx context.Context) error {
		var errs []error
		for _, err := range []error{bindings.Delete(ctx, meta.Name, metav1.DeleteOptions{}), roles.Delete(ctx, meta.Name, metav1.DeleteOptions{})} {
			if err != nil && !apierrors.IsNotFound(err) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
	_, err := roles.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{bindingRule}}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = bindings.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name}, Subjects: subjects,
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
